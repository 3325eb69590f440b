import { texts } from './page-texts.ts';
import { describeTransfer } from './transfer-words.ts';
import type { TransferView } from './trip-view.ts';

/** Where a change is made, and whether it works out: in words, and as a number where it is known. */
export function ChangeLine({ change }: { readonly change: TransferView }) {
  const { tone, verdict, number, basis } = describeTransfer(change, texts.change);
  return (
    <p class="change-line" data-tone={tone}>
      <span class="where">{texts.change.at(change.stopName)}</span>
      <span class="verdict">{verdict}</span>
      {number && <span class="number">{number}</span>}
      {basis && <span class="basis">{basis}</span>}
    </p>
  );
}
