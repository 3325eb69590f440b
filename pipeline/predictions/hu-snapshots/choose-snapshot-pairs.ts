import { findCurrent, findReported, type SnapshotTable } from './snapshot-table.ts';

/** How far around a poll the planned arrivals lie that are predicted; seconds. */
const BEFORE_POLL = 3600;
const AFTER_POLL = 5400;

/** Snapshots, each with one later call: one place per pair in every column, sorted by snapshot. */
export interface SnapshotPairs {
  readonly count: number;
  readonly snapshot: Int32Array;
  readonly call: Int32Array;
  /** What persistence says, what came, from the poll to the planned arrival (below 0: overdue); seconds. */
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
  const { scheduledArrival } = table.runs;
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
