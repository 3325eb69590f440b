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
  readonly datedTrip: number;
  readonly at: number;
  /** Row and call of the last report; the row is -1 without one, and the call then the first of the list. */
  readonly reportedRow: number;
  readonly from: number;
  readonly current: number;
  /** Time of the previous poll of the trip; NaN where there was none. */
  readonly polledBefore: number;
}

export function writeReport(table: SnapshotTable, seen: SeenSoFar, here: Standpoint, row: Float32Array): void {
  const { datedTrip, at, reportedRow, from, current } = here;
  const { state, datedTrips } = seen;
  const hasReport = reportedRow >= 0;
  const first = state.first[datedTrip]!;
  const back = (steps: number) =>
    hasReport && from - steps >= first ? datedTrips.departureDelay[from - steps]! : Number.NaN;
  let highest = current;
  for (let call = first; call < from; call++)
    if (datedTrips.departureDelay[call]! > highest) highest = datedTrips.departureDelay[call]!;
  row[0] = current;
  row[1] = hasReport ? 1 : 0;
  row[2] = hasReport ? table.rowArrival[reportedRow]! : Number.NaN;
  row[3] = hasReport && table.rowDeparture[reportedRow] !== 0 ? 1 : 0;
  row[4] = back(1);
  row[5] = back(2);
  row[6] = back(4);
  row[7] = highest;
  row[8] = at - datedTrips.scheduledDeparture[from]! - current;
  row[9] = at - state.reportedSince[datedTrip]!;
  row[10] = at - state.currentSince[datedTrip]!;
  row[11] = current - state.currentBefore[datedTrip]!;
  row[12] = at - here.polledBefore;
  row[13] = countDue(here, table, seen) - from;
  row[14] = from - first;
}

/** The last call that should have been reached by now with the current delay. */
export function countDue(
  { datedTrip, at, from, current }: Standpoint,
  table: SnapshotTable,
  { datedTrips }: SeenSoFar,
): number {
  const end = table.datedTrips.callStart[datedTrip + 1]!;
  let due = from;
  while (due + 1 < end && datedTrips.scheduledArrival[due + 1]! + current <= at) due++;
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
  const { at, from, current, datedTrip } = here;
  const { scheduledArrival, callStart } = table.datedTrips;
  const ahead = scheduledArrival[call]! - at;
  const next = Math.min(from + 1, callStart[datedTrip + 1]! - 1);
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
    datedTrip: table.snapshotDatedTrip[snapshot]!,
    at: table.polledAt[snapshot]!,
    reportedRow,
    from: table.rowCall[reportedRow < 0 ? table.rowStart[snapshot]! : reportedRow]!,
    current: findCurrent(table, reportedRow),
    polledBefore,
  };
}

export function writePlanned(seen: SeenSoFar, { datedTrip, from }: Standpoint, to: number, row: Float32Array): void {
  const { scheduledArrival, callStart, dayStart } = seen.datedTrips;
  const last = callStart[datedTrip + 1]! - 1;
  row[0] = to - from;
  row[1] = scheduledArrival[to]! - scheduledArrival[from]!;
  row[2] = last - to;
  row[3] = scheduledArrival[last]! - scheduledArrival[seen.state.first[datedTrip]!]!;
  row[4] = (scheduledArrival[from]! - dayStart[datedTrip]!) / 3600;
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
  { datedTrip, at }: Standpoint,
  row: Float32Array,
): void {
  const { scheduledArrival, stop, callStart } = seen.datedTrips;
  const { first } = seen.state;
  const call = table.rowCall[table.rowStart[snapshot]!]!;
  row.fill(Number.NaN);
  row[0] = table.isCut[snapshot]!;
  row[1] = call - first[datedTrip]!;
  const past = findTripBefore(seen, datedTrip);
  if (past < 0) return;
  const start = first[past]!;
  let there = start;
  while (there < callStart[past + 1]! && stop[there] !== stop[call]) there++;
  if (there === callStart[past + 1]) return;
  row[2] = there - start;
  row[3] = scheduledArrival[there]! - scheduledArrival[start]!;
  row[4] = at - scheduledArrival[call]! + row[3]!;
}

/** The newest trip of the same train on an earlier day; -1 without one. */
function findTripBefore({ datedTrips, statistics }: SeenSoFar, datedTrip: number): number {
  const train = datedTrips.train[datedTrip]!;
  for (let age = 0; age < statistics.trainTrips.size(train); age++) {
    const past = statistics.trainTrips.get(train, age);
    if (datedTrips.serviceDay[past]! < datedTrips.serviceDay[datedTrip]!) return past;
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
  const newest = findPosition(positions, here.datedTrip, here.at);
  if (newest < 0) return;
  const delay = positions.delay[newest]!;
  row[0] = delay;
  row[1] = here.at - positions.seenAt[newest]!;
  row[2] = delay - here.current;
  row[3] = delay - least;
  row[7] = positions.seenAt[newest]! - (planned + here.current);
  if (newest === positions.start[here.datedTrip]) return;
  row[4] = delay - positions.delay[newest - 1]!;
  row[5] = positions.seenAt[newest]! - positions.seenAt[newest - 1]!;
  row[6] = metersBetween(positions, newest - 1, newest);
}

/** Age of the newest position of the trip; infinite without one, or without a delay in it. */
export function positionAge(positions: PositionTable, datedTrip: number, at: number): number {
  const newest = findPosition(positions, datedTrip, at);
  return newest < 0 || Number.isNaN(positions.delay[newest]!)
    ? Number.POSITIVE_INFINITY
    : at - positions.seenAt[newest]!;
}

function metersBetween({ latitude, longitude }: PositionTable, one: number, other: number): number {
  const north = latitude[other]! - latitude[one]!;
  const east = (longitude[other]! - longitude[one]!) * Math.cos((latitude[one]! * Math.PI) / 180);
  return Math.hypot(north, east) * METERS_PER_DEGREE;
}
