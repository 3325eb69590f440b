import { seededRandom } from '../../predictions/forest/seeded-random.ts';
import type { TransferRows } from '../../predictions/transfers/train-transfers.ts';
import {
  type TransferFacts,
  type TransferSide,
  transferColumns,
  writeTransferFacts,
} from '../../predictions/transfers/transfer-facts.ts';
import type { CaseFacts } from './case-facts.ts';
import { NEEDED_SECONDS } from './read-transfers.ts';
import type { TransferCases } from './transfer-cases.ts';

const SEED = 20250403;
/** Shares of the cases that are learnt with less known, or with another time for the change. */
const WITHOUT_OVERDUE = 0.1;
const WITHOUT_FORECAST = 0.1;
const OTHER_NEED = 0.15;
const MAX_NEEDED_SECONDS = 600;

/**
 * The cases to learn from. A service may know less than an archive: forecasts expire, sources observe few events; and
 * changes need more or less than the two minutes of the protocol. Some cases are therefore learnt that way.
 */
export function buildLearningRows(cases: TransferCases, facts: CaseFacts, places: Int32Array): TransferRows {
  const width = transferColumns.length;
  const random = seededRandom(SEED);
  const values = new Float32Array(places.length * width);
  const held = new Uint8Array(places.length);
  places.forEach((place, row) => {
    const varied = vary(facts.get(place), random);
    writeTransferFacts(varied, values.subarray(row * width, (row + 1) * width));
    held[row] = cases.leftSeconds[place]! + NEEDED_SECONDS >= varied.neededSeconds ? 1 : 0;
  });
  return { values, held, day: places.map((place) => cases.day[place]!) };
}

function vary(facts: TransferFacts, random: () => number): TransferFacts {
  const hasOverdue = random() >= WITHOUT_OVERDUE;
  const hasForecast = random() >= WITHOUT_FORECAST;
  const isOther = random() < OTHER_NEED;
  const needed = Math.floor(random() * Math.min(facts.plannedSeconds, MAX_NEEDED_SECONDS));
  const reduce = (side: TransferSide): TransferSide => ({
    forecast: hasForecast ? side.forecast : null,
    observed: side.observed,
    overdueSeconds: hasOverdue ? side.overdueSeconds : null,
  });
  return {
    ...facts,
    neededSeconds: isOther ? needed : facts.neededSeconds,
    arrival: reduce(facts.arrival),
    departure: reduce(facts.departure),
  };
}
