import type { FeatureTable } from '../build-features.ts';
import { type HistoryWeights, historyColumns, PastRuns } from '../history-features.ts';
import { LegWalk, legColumns } from '../leg-features.ts';
import { beginningColumns, writeBeginning } from './beginning-features.ts';
import type { SnapshotPairs } from './choose-snapshot-pairs.ts';
import { positionColumns, writePosition } from './position-features.ts';
import {
  countDue,
  dueColumns,
  findStandpoint,
  leastDelay,
  plannedColumns,
  reportColumns,
  writeDue,
  writePlanned,
  writeReport,
} from './report-features.ts';
import { SeenSoFar } from './seen-so-far.ts';
import { findReported, type SnapshotTable } from './snapshot-table.ts';

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

/** What is known about each pair at its poll, and nothing that came later: one pass over the snapshots in their order. */
export function buildSnapshotFeatures(table: SnapshotTable, pairs: SnapshotPairs): FeatureTable {
  const width = snapshotColumns.length;
  const values = new Float32Array(pairs.count * width);
  const seen = new SeenSoFar(table);
  const { runs, index, statistics } = seen;
  const legWalk = new LegWalk(runs, index, statistics);
  const train = new PastRuns(runs, index, sameTrain);
  const direction = new PastRuns(runs, index, sameDirection);
  let pair = 0;
  for (let snapshot = 0; snapshot < table.snapshotCount; snapshot++) {
    const run = table.snapshotRun[snapshot]!;
    const polledBefore = seen.state.polledAt[run]!;
    seen.tell(snapshot);
    if (pairs.snapshot[pair] !== snapshot) continue;
    const here = findStandpoint(table, snapshot, findReported(table, snapshot), polledBefore);
    const due = countDue(here, table, seen);
    legWalk.start(here.from, false);
    train.start(statistics.trainRuns, runs.train[run]!, run, here.from);
    direction.start(seen.directionRuns, seen.directionBehind(run, here.from), run, here.from);
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
      const least = leastDelay(runs.scheduledArrival[to]! - here.at);
      writePosition(table.positions, here, runs.scheduledDeparture[here.from]!, least, next(snapshotGroups.positions));
    }
  }
  return { count: pairs.count, columns: snapshotColumns, values, offsets: new Uint8Array(0) };
}
