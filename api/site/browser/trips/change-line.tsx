import { describeChange } from './change-words.ts';
import { texts } from './page-texts.ts';
import type { ChangeView } from './trip-view.ts';

/** Where a change is made, and whether it works out: in words, and as a number where it is known. */
export function ChangeLine({ change }: { readonly change: ChangeView }) {
  const { tone, verdict, number, basis } = describeChange(change, texts.change);
  return (
    <p class="change-line" data-tone={tone}>
      <span class="where">{texts.change.at(change.stopName)}</span>
      <span class="verdict">{verdict}</span>
      {number && <span class="number">{number}</span>}
      {basis && <span class="basis">{basis}</span>}
    </p>
  );
}
