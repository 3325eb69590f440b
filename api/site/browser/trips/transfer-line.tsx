import { describeTransfer } from '../../view-model/transfer-words.ts';
import type { TransferView } from '../../view-model/trip-view.ts';
import { texts } from './page-texts.ts';

/** Place and risk of a transfer, in words, and as a probability if known. */
export function TransferLine({ transfer }: { readonly transfer: TransferView }) {
  const { tone, verdict, number, basis } = describeTransfer(transfer, texts.change);
  return (
    <p class="transfer-line" data-tone={tone}>
      <span class="where">{texts.change.at(transfer.stopName)}</span>
      <span class="verdict">{verdict}</span>
      {number && <span class="number">{number}</span>}
      {basis && <span class="basis">{basis}</span>}
    </p>
  );
}
