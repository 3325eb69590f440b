import type { SeenSoFar } from './seen-so-far.ts';
import { findCurrent, findPosition, type PositionTable, type SnapshotTable } from './snapshot-table.ts';

/** From the snapshot itself and the previous polls of the trip. */
export const reportColumns = [
  'current_delay',
  'has_report',
  'arrival_delay_reported',
  'departure_known',
  'delay_1_back',
  'delay_2_back',
  'delay_4_back',
  'highest_delay',
  'seconds_since_report',
  'seconds_since_poll_of_report',
  'seconds_since_poll_of_delay',
  'change_of_delay',
  'seconds_since_poll_before',
  'calls_due',
  'calls_behind',
] as const;

/** The target relative to the current time. */
export const dueColumns = [
  'seconds_to_plan',
  'least_delay',
  'least_over_current',
  'seconds_to_expected',
  'seconds_to_next',
  'calls_between_due',
  'steps_from_due',
] as const;

/** The plan, as far as the lists have shown it. */
export const plannedColumns = ['steps', 'planned_seconds', 'calls_after', 'planned_seconds_of_run', 'hour'] as const;

/** Facts of one snapshot that are common to all of its targets. */
interface Standpoint {
  readonly run: number;
  readonly at: number;
  /** Row and call of the last report; the row is -1 without one, and the call then the first of the list. */
  readonly reportedRow: number;
  readonly from: number;
  readonly current: number;
  /** Time of the previous poll of the run; NaN where there was none. */
  readonly polledBefore: number;
}

export function writeReport(table: SnapshotTable, seen: SeenSoFar, here: Standpoint, row: Float32Array): void {
  const { run, at, reportedRow, from, current } = here;
  const { state, runs } = seen;
  const hasReport = reportedRow >= 0;
  const first = state.first[run]!;
  const back = (steps: number) =>
    hasReport && from - steps >= first ? runs.departureDelay[from - steps]! : Number.NaN;
  let highest = current;
  for (let call = first; call < from; call++)
    if (runs.departureDelay[call]! > highest) highest = runs.departureDelay[call]!;
  row[0] = current;
  row[1] = hasReport ? 1 : 0;
  row[2] = hasReport ? table.rowArrival[reportedRow]! : Number.NaN;
  row[3] = hasReport && table.rowDeparture[reportedRow] !== 0 ? 1 : 0;
  row[4] = back(1);
  row[5] = back(2);
  row[6] = back(4);
  row[7] = highest;
  row[8] = at - runs.scheduledDeparture[from]! - current;
  row[9] = at - state.reportedSince[run]!;
  row[10] = at - state.currentSince[run]!;
  row[11] = current - state.currentBefore[run]!;
  row[12] = at - here.polledBefore;
  row[13] = countDue(here, table, seen) - from;
  row[14] = from - first;
}

/** The last call that should have been reached by now with the current delay. */
export function countDue({ run, at, from, current }: Standpoint, table: SnapshotTable, { runs }: SeenSoFar): number {
  const end = table.runs.callStart[run + 1]!;
  let due = from;
  while (due + 1 < end && runs.scheduledArrival[due + 1]! + current <= at) due++;
  return due;
}

/** @param expected arrival delay from the legs and the current delay */
export function writeDue(
  table: SnapshotTable,
  here: Standpoint,
  call: number,
  due: number,
  expected: number,
  row: Float32Array,
): void {
  const { at, from, current, run } = here;
  const { scheduledArrival, callStart } = table.runs;
  const ahead = scheduledArrival[call]! - at;
  const next = Math.min(from + 1, callStart[run + 1]! - 1);
  row[0] = ahead;
  row[1] = minDelay(ahead);
  row[2] = minDelay(ahead) - current;
  row[3] = ahead + expected;
  row[4] = scheduledArrival[next]! + current - at;
  row[5] = Math.min(call, due) - from;
  row[6] = call - due;
}

/** The least delay in whole minutes for an arrival that is still to come. */
export function minDelay(secondsToPlan: number): number {
  return (Math.floor(-secondsToPlan / 60) + 1) * 60;
}

/** @param polledBefore of the state before the snapshot was added */
export function findStandpoint(
  table: SnapshotTable,
  snapshot: number,
  reportedRow: number,
  polledBefore: number,
): Standpoint {
  return {
    run: table.snapshotRun[snapshot]!,
    at: table.polledAt[snapshot]!,
    reportedRow,
    from: table.rowCall[reportedRow < 0 ? table.rowStart[snapshot]! : reportedRow]!,
    current: findCurrent(table, reportedRow),
    polledBefore,
  };
}

export function writePlanned(seen: SeenSoFar, { run, from }: Standpoint, to: number, row: Float32Array): void {
  const { scheduledArrival, callStart, serviceDay } = seen.runs;
  const last = callStart[run + 1]! - 1;
  row[0] = to - from;
  row[1] = scheduledArrival[to]! - scheduledArrival[from]!;
  row[2] = last - to;
  row[3] = scheduledArrival[last]! - scheduledArrival[seen.state.first[run]!]!;
  row[4] = (scheduledArrival[from]! - serviceDay[run]! * 86_400) / 3600;
}

/**
 * Whether the beginning of the list is missing, as it often is on the first and last polls of a trip: by its first row,
 * by earlier polls, and by the lists of the same train on earlier days.
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

/** From the newest position of the vehicle. */
export const positionColumns = [
  'position_delay',
  'position_age',
  'position_over_current',
  'position_over_least',
  'position_change',
  'position_step_seconds',
  'position_step_meters',
  'position_after_report',
] as const;

const METERS_PER_DEGREE = 111_200;

/** Writes the columns of `positionColumns`; NaN without a position. */
export function writePosition(
  positions: PositionTable,
  here: Standpoint,
  planned: number,
  least: number,
  row: Float32Array,
): void {
  row.fill(Number.NaN);
  const newest = findPosition(positions, here.run, here.at);
  if (newest < 0) return;
  const delay = positions.delay[newest]!;
  row[0] = delay;
  row[1] = here.at - positions.seenAt[newest]!;
  row[2] = delay - here.current;
  row[3] = delay - least;
  row[7] = positions.seenAt[newest]! - (planned + here.current);
  if (newest === positions.start[here.run]) return;
  row[4] = delay - positions.delay[newest - 1]!;
  row[5] = positions.seenAt[newest]! - positions.seenAt[newest - 1]!;
  row[6] = metersBetween(positions, newest - 1, newest);
}

/** Age of the newest position of the run; infinite without one, or without a delay in it. */
export function positionAge(positions: PositionTable, run: number, at: number): number {
  const newest = findPosition(positions, run, at);
  return newest < 0 || Number.isNaN(positions.delay[newest]!)
    ? Number.POSITIVE_INFINITY
    : at - positions.seenAt[newest]!;
}

function metersBetween({ latitude, longitude }: PositionTable, one: number, other: number): number {
  const north = latitude[other]! - latitude[one]!;
  const east = (longitude[other]! - longitude[one]!) * Math.cos((latitude[one]! * Math.PI) / 180);
  return Math.hypot(north, east) * METERS_PER_DEGREE;
}
