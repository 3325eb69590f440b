import type { Pairs, TrainDays } from '../features/build-features.ts';
import type { DatedTripTable } from '../features/dated-trip-table.ts';
import { seededRandom } from '../forest/seeded-random.ts';
import { LEARN } from './share-out-days.ts';

/** Share of the training instants whose train has a limited history, and the maximum number of days of that history. */
const FORGETFUL = 0.3;
const DAYS_KNOWN = 5;
const ALL_DAYS = 255;

/**
 * Limits the history of the train to none or the last few days for some training instants. After a change of timetable
 * all trains have such a short history, and the training window rarely contains such days.
 */
export function forgetHistory(table: DatedTripTable, pairs: Pairs, roles: Uint8Array, seed: number): TrainDays {
  const days = new Uint8Array(table.stop.length).fill(ALL_DAYS);
  const random = seededRandom(seed);
  let last = -1;
  for (let pair = 0; pair < pairs.count; pair++) {
    const call = pairs.from[pair]!;
    if (roles[pair] !== LEARN || call === last) continue;
    last = call;
    if (random() < FORGETFUL) days[call] = Math.floor(random() * (DAYS_KNOWN + 1));
  }
  return (call) => days[call]!;
}
