import { expectDeparture, type Pairs } from './choose-pairs.ts';
import { featureColumns, InstantRows } from './instant-rows.ts';
import { buildPlanIndex, type PlanIndex } from './plan-index.ts';
import type { RunTable } from './run-table.ts';
import { emptyStatistics, takeEvents } from './running-statistics.ts';
import { sweep } from './sweep.ts';

export { type FeatureGroup, featureColumns, featureGroups } from './instant-rows.ts';

/** One row per pair; NaN where something is not known. Delays and durations in seconds. */
export interface FeatureTable {
  readonly count: number;
  readonly columns: readonly string[];
  /** Row after row. */
  readonly values: Float32Array;
  /** Seconds that the arrival is expected to have beyond its whole minute, where the table has delays on that grid. */
  readonly offsets: Uint8Array;
}

/** How many past days of its train an instant may look at. */
export type TrainDays = (call: number) => number;

/**
 * What is known about each pair at its instant, and nothing that came later: one sweep in the order of time.
 * @param pairs sorted by their first call
 * @param trainDays fewer than there are for some instants, so that a model learns what to do with new trains
 */
export function buildFeatures(
  table: RunTable,
  pairs: Pairs,
  trainDays: TrainDays = () => Number.POSITIVE_INFINITY,
  index: PlanIndex = buildPlanIndex(table),
): FeatureTable {
  const width = featureColumns.length;
  const values = new Float32Array(pairs.count * width);
  const offsets = new Uint8Array(pairs.count);
  const leaving = findFirstPairs(table, pairs, 0);
  const standing = findFirstPairs(table, pairs, 1);
  const statistics = emptyStatistics(table, index);
  const rows = new InstantRows(table, index, statistics);
  const write = (first: number) => {
    const [call, kind] = [pairs.from[first], pairs.isStanding[first]];
    for (let pair = first; pair < pairs.count && pairs.from[pair] === call && pairs.isStanding[pair] === kind; pair++) {
      offsets[pair] = rows.write(pairs.to[pair]!, values.subarray(pair * width, (pair + 1) * width));
    }
  };
  const wanted = {
    departure: (call: number) => leaving[call]! >= 0,
    standing: (call: number) => standing[call]! >= 0,
  };
  sweep(table, wanted, {
    ...takeEvents(table, index, statistics),
    onInstant: (call, run, at) => {
      rows.start(run, call, at, false, trainDays(call));
      write(leaving[call]!);
    },
    onStanding: (call, run, at) =>
      withExpectedDeparture(table, call, () => {
        rows.start(run, call, at, true, trainDays(call));
        write(standing[call]!);
      }),
  });
  return { count: pairs.count, columns: featureColumns, values, offsets };
}

/** The first pair of each call that is an instant of a kind; -1 for the others. */
function findFirstPairs(table: RunTable, pairs: Pairs, kind: 0 | 1): Int32Array {
  const first = new Int32Array(table.stop.length).fill(-1);
  for (let pair = pairs.count - 1; pair >= 0; pair--) {
    if (pairs.isStanding[pair] === kind) first[pairs.from[pair]!] = pair;
  }
  return first;
}

/** For the time of a task the table knows no more of a departure than who stands there does. */
function withExpectedDeparture(table: RunTable, call: number, task: () => void): void {
  const { departureDelay, departureOffset, departureTime } = table;
  const told = [departureDelay[call]!, departureOffset[call]!, departureTime[call]!] as const;
  const { delay, offset, time } = expectDeparture(table, call);
  [departureDelay[call], departureOffset[call], departureTime[call]] = [delay, offset, time];
  task();
  [departureDelay[call], departureOffset[call], departureTime[call]] = told;
}
