import type { FeatureTable } from '../../../pipeline/predictions/features/build-features.ts';
import {
  type HistoryWeights,
  historyColumns,
  PastTrips,
} from '../../../pipeline/predictions/features/history-features.ts';
import { LegWalk, legColumns } from '../../../pipeline/predictions/features/leg-features.ts';
import {
  beginningColumns,
  countDue,
  dueColumns,
  findStandpoint,
  minDelay,
  plannedColumns,
  positionColumns,
  reportColumns,
  writeBeginning,
  writeDue,
  writePlanned,
  writePosition,
  writeReport,
} from './report-features.ts';
import { SeenSoFar } from './seen-so-far.ts';
import { findCurrent, findReported, type SnapshotTable } from './snapshot-table.ts';

/** Range of planned arrivals around a poll that are predicted; seconds. */
const BEFORE_POLL = 3600;
const AFTER_POLL = 5400;

/** Pairs of a snapshot and a later call: one entry per pair in every column, sorted by snapshot. */
export interface SnapshotPairs {
  readonly count: number;
  readonly snapshot: Int32Array;
  readonly call: Int32Array;
  /**
   * Forecast of persistence, observed delay, and time from the poll to the planned arrival (below 0: overdue); seconds.
   */
  readonly current: Float32Array;
  readonly truth: Float32Array;
  readonly horizonSeconds: Float32Array;
}

/**
 * All pairs of a table.
 * @see prediction-evaluation, layout `hu_snapshots`, rules 1 to 3
 */
export function chooseSnapshotPairs(table: SnapshotTable): SnapshotPairs {
  const pairs = { snapshot: [] as number[], call: [] as number[], current: [] as number[] };
  const { scheduledArrival } = table.datedTrips;
  for (let snapshot = 0; snapshot < table.snapshotCount; snapshot++) {
    const at = table.polledAt[snapshot]!;
    const start = table.rowStart[snapshot]!;
    if (at < scheduledArrival[table.rowCall[start]!]!) continue;
    const reported = findReported(table, snapshot);
    const current = findCurrent(table, reported);
    for (let row = reported < 0 ? start : reported + 1; row < table.rowStart[snapshot + 1]!; row++) {
      const call = table.rowCall[row]!;
      const ahead = scheduledArrival[call]! - at;
      if (table.isTarget[call] === 0 || ahead < -BEFORE_POLL || ahead > AFTER_POLL) continue;
      if (ahead + table.truth[call]! <= 0) continue;
      pairs.snapshot.push(snapshot);
      pairs.call.push(call);
      pairs.current.push(current);
    }
  }
  const ofPairs = (read: (call: number, pair: number) => number) => Float32Array.from(pairs.call, read);
  return {
    count: pairs.call.length,
    snapshot: Int32Array.from(pairs.snapshot),
    call: Int32Array.from(pairs.call),
    current: Float32Array.from(pairs.current),
    truth: ofPairs((call) => table.truth[call]!),
    horizonSeconds: ofPairs((call, pair) => scheduledArrival[call]! - table.polledAt[pairs.snapshot[pair]!]!),
  };
}

/** Groups of columns, in the order of a row. */
export const snapshotGroups = {
  report: reportColumns,
  beginning: beginningColumns,
  due: dueColumns,
  plan: plannedColumns,
  train: historyColumns.map((name) => `train_${name}`),
  direction: historyColumns.map((name) => `direction_${name}`),
  legs: legColumns,
  positions: positionColumns,
} as const satisfies Record<string, readonly string[]>;

export type SnapshotGroup = keyof typeof snapshotGroups;

export const snapshotColumns: readonly string[] = Object.values(snapshotGroups).flat();

const sameTrain: HistoryWeights = {
  days: 10,
  timeOfDay: Number.POSITIVE_INFINITY,
  isSameDayTaken: false,
  otherPlan: 0.3,
  delay: 120,
  delayShare: 0.3,
};
const sameDirection: HistoryWeights = {
  days: 10,
  timeOfDay: 5400,
  isSameDayTaken: true,
  otherPlan: 0.2,
  delay: 120,
  delayShare: 0.3,
};

/** Features of each pair from what was known at its poll: one pass over the snapshots in order. */
export function buildSnapshotFeatures(table: SnapshotTable, pairs: SnapshotPairs): FeatureTable {
  const width = snapshotColumns.length;
  const values = new Float32Array(pairs.count * width);
  const seen = new SeenSoFar(table);
  const { datedTrips, index, statistics } = seen;
  const legWalk = new LegWalk(datedTrips, index, statistics);
  const train = new PastTrips(datedTrips, index, sameTrain);
  const direction = new PastTrips(datedTrips, index, sameDirection);
  let pair = 0;
  for (let snapshot = 0; snapshot < table.snapshotCount; snapshot++) {
    const datedTrip = table.snapshotDatedTrip[snapshot]!;
    const polledBefore = seen.state.polledAt[datedTrip]!;
    seen.add(snapshot);
    if (pairs.snapshot[pair] !== snapshot) continue;
    const here = findStandpoint(table, snapshot, findReported(table, snapshot), polledBefore);
    const due = countDue(here, table, seen);
    legWalk.start(here.from, false);
    train.start(statistics.trainTrips, datedTrips.train[datedTrip]!, datedTrip, here.from);
    direction.start(seen.directionTrips, seen.directionBehind(datedTrip, here.from), datedTrip, here.from);
    for (; pair < pairs.count && pairs.snapshot[pair] === snapshot; pair++) {
      const to = pairs.call[pair]!;
      let offset = pair * width;
      const next = (columns: readonly string[]) => {
        offset += columns.length;
        return values.subarray(offset - columns.length, offset);
      };
      const legs = new Float32Array(legColumns.length);
      legWalk.walkTo(to);
      legWalk.writeLegs(legs);
      writeReport(table, seen, here, next(snapshotGroups.report));
      writeBeginning(table, seen, snapshot, here, next(snapshotGroups.beginning));
      writeDue(table, here, to, due, here.current + legs[0]!, next(snapshotGroups.due));
      writePlanned(seen, here, to, next(snapshotGroups.plan));
      train.write(to, next(snapshotGroups.train));
      direction.write(to, next(snapshotGroups.direction));
      next(snapshotGroups.legs).set(legs);
      const least = minDelay(datedTrips.scheduledArrival[to]! - here.at);
      writePosition(
        table.positions,
        here,
        datedTrips.scheduledDeparture[here.from]!,
        least,
        next(snapshotGroups.positions),
      );
    }
  }
  return { count: pairs.count, columns: snapshotColumns, values, offsets: new Uint8Array(0) };
}
