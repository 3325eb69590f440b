import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { type TransferRows, trainTransferModel } from '../../../pipeline/predictions/transfers/train-transfers.ts';
import {
  type TransferFacts,
  type TransferSide,
  transferColumns,
  writeTransferFacts,
} from '../../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import type { TransferModel } from '../../../pipeline/snapshots/transfer-model/transfer-model.ts';

/** A vehicle without any data. */
export const unknownSide: TransferSide = { forecast: null, observed: null, overdueSeconds: 0 };

/** A vehicle that was observed a minute ago, and is predicted to keep its delay. */
export const observedSide = (delaySeconds: number): TransferSide => ({
  forecast: { low: delaySeconds - 60, median: delaySeconds, high: delaySeconds + 180 },
  observed: { delaySeconds, ageSeconds: 60 },
  overdueSeconds: 0,
});

export const plainFacts: TransferFacts = {
  plannedSeconds: 600,
  neededSeconds: 120,
  secondsToArrival: 900,
  hour: 8,
  dwellSeconds: 120,
  arrival: observedSide(0),
  departure: unknownSide,
};

/** Transfers whose vehicles arrive up to four minutes later or earlier than observed so far. */
export function makeTransferRows(count: number, seed: number): TransferRows & { readonly facts: TransferFacts[] } {
  const random = seededRandom(seed);
  const values = new Float32Array(count * transferColumns.length);
  const held = new Uint8Array(count);
  const facts = Array.from({ length: count }, (_, row): TransferFacts => {
    const [late, leaves] = [Math.floor(random() * 900), Math.floor(random() * 300)];
    const one = {
      ...plainFacts,
      plannedSeconds: 180 + Math.floor(random() * 600),
      secondsToArrival: [300, 900, 1800, 3600][row % 4]!,
      arrival: observedSide(late),
      departure: random() < 0.5 ? unknownSide : observedSide(leaves),
    };
    writeTransferFacts(one, values.subarray(row * transferColumns.length, (row + 1) * transferColumns.length));
    const margin = one.plannedSeconds - 120 + (one.departure === unknownSide ? 0 : leaves) - late;
    held[row] = margin + random() * 240 - random() * 240 >= 0 ? 1 : 0;
    return one;
  });
  return { values, held, facts, day: Int32Array.from({ length: count }, (_, row) => row % 9) };
}

/** A model of such transfers. */
export function makeTransferModel(): TransferModel {
  return trainTransferModel(makeTransferRows(4000, 1)).model;
}

/** A model of transfers between vehicles that were not observed yet, with the usual delay of their line. */
export function makePastModel(): TransferModel {
  const count = 4000;
  const random = seededRandom(2);
  const values = new Float32Array(count * transferColumns.length);
  const held = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const median = Math.floor(random() * 900);
    const past = { low: median - 60, median, high: median + 180 };
    const facts = {
      ...plainFacts,
      secondsToArrival: [300, 900, 1800, 3600][row % 4]!,
      arrival: { ...unknownSide, past },
    };
    writeTransferFacts(facts, values.subarray(row * transferColumns.length, (row + 1) * transferColumns.length));
    held[row] = facts.plannedSeconds - facts.neededSeconds - median + (random() - random()) * 240 >= 0 ? 1 : 0;
  }
  return trainTransferModel({ values, held, day: Int32Array.from({ length: count }, (_, row) => row % 9) }).model;
}
