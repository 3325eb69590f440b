import {
  type TransferFacts,
  transferColumns,
  writeTransferFacts,
} from '../../snapshots/transfer-model/transfer-facts.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import type { TransferRows } from '../transfers/train-transfers.ts';
import type { CaseFacts } from './case-facts.ts';
import { CASES_PER_TRANSFER, NEEDED_SECONDS, type TransferCases } from './transfer-cases.ts';

const SEED = 20250403;
/** Shares of the cases that are learnt without forecasts, or with another time for the change. */
const WITHOUT_PREDICTIONS = 0.1;
const OTHER_NEED = 0.15;
const MAX_NEEDED_SECONDS = 600;

/** Ranges of the instants of learnt cases, in seconds before the scheduled arrival: queries come at any time. */
const instantRanges = [
  [2700, 5400],
  [1350, 2700],
  [600, 1350],
  [-300, 600],
] as const;

/** Instants of the cases of transfers that are learnt from, one in each range; the same in every run. */
export function chooseInstants(): (place: number) => number {
  const random = seededRandom(SEED);
  return (place) => {
    const [from, to] = instantRanges[place % CASES_PER_TRANSFER]!;
    return Math.floor(from + random() * (to - from));
  };
}

/**
 * The cases to learn from. A service may have no forecasts, and transfers need more or less than the two minutes of the
 * protocol: some cases are learnt that way.
 */
export function buildLearningRows(cases: TransferCases, facts: CaseFacts): TransferRows {
  const width = transferColumns.length;
  const random = seededRandom(SEED);
  const values = new Float32Array(cases.count * width);
  const held = new Uint8Array(cases.count);
  for (let place = 0; place < cases.count; place++) {
    const varied = vary(facts.get(place), random);
    writeTransferFacts(varied, values.subarray(place * width, (place + 1) * width));
    held[place] = cases.leftSeconds[place]! + NEEDED_SECONDS >= varied.neededSeconds ? 1 : 0;
  }
  return { values, held, day: cases.day };
}

function vary(facts: TransferFacts, random: () => number): TransferFacts {
  const { arrival, departure } = facts;
  const hasPredictions = random() >= WITHOUT_PREDICTIONS;
  const isOther = random() < OTHER_NEED;
  const needed = Math.floor(random() * Math.min(facts.plannedSeconds, MAX_NEEDED_SECONDS));
  return {
    ...facts,
    neededSeconds: isOther ? needed : facts.neededSeconds,
    arrival: hasPredictions ? arrival : { ...arrival, forecast: null },
    departure: hasPredictions ? departure : { ...departure, forecast: null },
  };
}
