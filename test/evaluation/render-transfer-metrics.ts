import { renderTable, type TextColumn } from '../../jobs/job/text-table.ts';
import { implausibleCodes } from '../../pipeline/predictions/features/implausible-calls.ts';
import type { TransferEvaluation } from './transfers/evaluate-transfers.ts';
import type { ForecasterMetrics, TransferSlice } from './transfers/transfer-metrics.ts';

/** The metrics of transfers as tables for a terminal. */
export function renderTransferMetrics(evaluation: TransferEvaluation): string[] {
  const { implausible, learntCases, trees, estimated, slices } = evaluation;
  const counts = implausibleCodes.map((code) => `${implausible[code]} ${code}`);
  return [
    `${learntCases} cases learnt from, ${trees} trees`,
    `${percent(estimated)} of the cases have an estimate`,
    `implausible calls left out: ${counts.join(', ')}`,
    '',
    ...renderScores(slices),
    '',
    ...renderBins(slices),
  ];
}

function renderScores(slices: readonly TransferSlice[]): string[] {
  const rows = slices.flatMap((slice) =>
    slice.forecasters.map(({ name, brier, ofTable, logLoss, maxDeviation }, i) => [
      ...(i === 0 ? describeSlice(slice) : ['', '', '', '', '']),
      name,
      brier.toFixed(4),
      ofTable.toFixed(3),
      logLoss.toFixed(4),
      points(maxDeviation),
    ]),
  );
  const numbers = ['Brier', 'of the table', 'log loss', 'largest deviation'];
  return renderTable(
    [
      { title: 'before' },
      { title: 'changes' },
      ...['pairs', 'held', 'observed'].map(number),
      { title: 'of' },
      ...numbers.map(number),
    ],
    rows,
  );
}

function describeSlice({ minutes, slice, pairs, held, observed }: TransferSlice): string[] {
  return [`${minutes} min`, slice, String(pairs), percent(held), percent(observed)];
}

/** The bins of independence and of our forecasts. */
function renderBins(slices: readonly TransferSlice[]): string[] {
  const rows = slices.flatMap((slice) =>
    slice.forecasters
      .slice(-2)
      .flatMap(({ name, bins }: ForecasterMetrics) =>
        bins.map(({ from, pairs, forecast, held }) => [
          `${slice.minutes} min`,
          slice.slice,
          name,
          percent(from),
          String(pairs),
          percent(forecast),
          percent(held),
          points(forecast - held),
        ]),
      ),
  );
  const titles = ['bin from', 'pairs', 'forecast', 'held', 'deviation'];
  return renderTable([{ title: 'before' }, { title: 'changes' }, { title: 'of' }, ...titles.map(number)], rows);
}

const number = (title: string): TextColumn => ({ title, align: 'end' });
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const points = (share: number) => `${(share * 100).toFixed(1)}`;
