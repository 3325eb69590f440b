import type { Standpoint } from './report-features.ts';
import type { SeenSoFar } from './seen-so-far.ts';
import type { SnapshotTable } from './snapshot-table.ts';

/**
 * Whether the list lacks its beginning, as it often does on the first and last polls of a trip: by its first row, by
 * earlier polls, and by what the same train showed on earlier days.
 */
export const beginningColumns = [
  'list_is_cut',
  'calls_lost',
  'calls_lost_by_habit',
  'seconds_lost_by_habit',
  'seconds_since_habitual_start',
] as const;

export function writeBeginning(
  table: SnapshotTable,
  seen: SeenSoFar,
  snapshot: number,
  { run, at }: Standpoint,
  row: Float32Array,
): void {
  const { scheduledArrival, stop, callStart } = seen.runs;
  const { first } = seen.state;
  const call = table.rowCall[table.rowStart[snapshot]!]!;
  row.fill(Number.NaN);
  row[0] = table.isCut[snapshot]!;
  row[1] = call - first[run]!;
  const past = findRunBefore(seen, run);
  if (past < 0) return;
  const start = first[past]!;
  let there = start;
  while (there < callStart[past + 1]! && stop[there] !== stop[call]) there++;
  if (there === callStart[past + 1]) return;
  row[2] = there - start;
  row[3] = scheduledArrival[there]! - scheduledArrival[start]!;
  row[4] = at - scheduledArrival[call]! + row[3]!;
}

/** The newest run of the same train on an earlier day; -1 without one. */
function findRunBefore({ runs, statistics }: SeenSoFar, run: number): number {
  const train = runs.train[run]!;
  for (let age = 0; age < statistics.trainRuns.size(train); age++) {
    const past = statistics.trainRuns.get(train, age);
    if (runs.serviceDay[past]! < runs.serviceDay[run]!) return past;
  }
  return -1;
}
