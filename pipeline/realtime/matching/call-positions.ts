import { partitionPoint } from '../../model/binary-search.ts';
import type { CallReport } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { CallPositions } from './match-result.ts';
import type { StopLinks } from './stop-links.ts';
import { callCountOf, dayStartOf, stopAt, type TimetableIndex, timeRow } from './timetable-index.ts';

/** A call of the trip that a reported call may be. */
interface Visit {
  readonly position: number;
  /** The reported stop_sequence is that of another call. */
  readonly isDoubtful: boolean;
  /** Distance from the report; at most some days. */
  readonly seconds: number;
}

/** Rank of a placed call: greater than any trip's number of calls, so that no sum of doubts outweighs a call. */
const PLACED = 1_000_000;

/** Choices for the calls before a position of the trip; 0: the call is left out. */
const PLACED_EARLIER = 1;
const PLACED_HERE = 2;

/**
 * Chooses a visit for each call of a report, so that positions rise: as many calls as possible, then as few doubtful
 * visits, then the smallest sum of distances; of equals the earlier call, then the earlier visit.
 * @param visits by call, those of a call at different positions
 * @param callCount of the trip
 * @returns positions by call, -1 for a call without one
 */
function alignVisits(visits: readonly (readonly Visit[])[], callCount: number): Int32Array {
  const width = callCount + 1;
  const choices = new Uint8Array(visits.length * width);
  let rank = new Float64Array(width);
  let seconds = new Float64Array(width);
  for (const [i, options] of visits.entries()) {
    const byPosition = new Map(options.map((visit) => [visit.position, visit]));
    const nextRank = rank.slice();
    const nextSeconds = seconds.slice();
    const improve = (end: number, newRank: number, newSeconds: number, choice: number) => {
      const isBetter = newRank > nextRank[end]! || (newRank === nextRank[end]! && newSeconds < nextSeconds[end]!);
      if (!isBetter) return;
      nextRank[end] = newRank;
      nextSeconds[end] = newSeconds;
      choices[i * width + end] = choice;
    };
    for (let end = 1; end < width; end++) {
      improve(end, nextRank[end - 1]!, nextSeconds[end - 1]!, PLACED_EARLIER);
      const visit = byPosition.get(end - 1);
      if (!visit) continue;
      const newRank = rank[end - 1]! + PLACED - Number(visit.isDoubtful);
      improve(end, newRank, seconds[end - 1]! + visit.seconds, PLACED_HERE);
    }
    rank = nextRank;
    seconds = nextSeconds;
  }
  return followChoices(choices, visits.length, width);
}

function followChoices(choices: Uint8Array, callCount: number, width: number): Int32Array {
  const positions = new Int32Array(callCount).fill(-1);
  let end = width - 1;
  for (let i = callCount - 1; i >= 0; i--) {
    while (choices[i * width + end] === PLACED_EARLIER) end--;
    if (choices[i * width + end] !== PLACED_HERE) continue;
    end--;
    positions[i] = end;
  }
  return positions;
}

/** Rows of the stops of a report's calls, by call: empty where the stop is not known, null where none is named. */
export type LinkedCalls = readonly (readonly number[] | null)[];

export interface PlannedTime {
  readonly event: 'arrival' | 'departure';
  readonly time: Instant;
}

export function linkCalls(links: StopLinks, calls: readonly CallReport[], source: number): LinkedCalls {
  return calls.map(({ stop }) => (stop === null ? null : (links.find(stop, source)?.stops ?? [])));
}

/** The planned time of a call: its departure where both are reported. */
export function plannedTime({ arrival, departure }: CallReport): PlannedTime | null {
  if (departure?.scheduledTime != null) return { event: 'departure', time: departure.scheduledTime };
  if (arrival?.scheduledTime != null) return { event: 'arrival', time: arrival.scheduledTime };
  return null;
}

/** Seconds between the reported planned time of a call and its time in the timetable. */
export function deviationAt(
  index: TimetableIndex,
  trip: number,
  day: number,
  position: number,
  { event, time }: PlannedTime,
): number {
  const { tables } = index;
  return Math.abs(dayStartOf(index, trip, day) + tables.times[event][timeRow(tables, trip, position)]! - time);
}

/** A trip in which reported calls are located. */
export interface PlacedTrip {
  readonly trip: number;
  /** Service day of its calls; null where it is not known yet. */
  readonly day: number | null;
  /** Publication time of the report: calls without any time are assumed near it. */
  readonly now: Instant;
  /** The report names another trip, e.g. of an older timetable: its stop_sequences are not those of this one. */
  readonly isOtherTrip: boolean;
}

/**
 * Locates the calls of a report in its trip. A stop_sequence is accepted where the trip has that stop, or another stop
 * of its station, at that number; otherwise the call is the visit of the stop that is nearest in time. Positions rise
 * along the report. Of several solutions the one counts that places most calls, then the one that accepts most numbers,
 * then the one nearest in time.
 */
export function placeCalls(
  index: TimetableIndex,
  placed: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): CallPositions {
  const positions =
    placeByNumber(index, placed, calls, linked) ??
    alignVisits(listVisits(index, placed, calls, linked), callCountOf(index.tables, placed.trip));
  const callProblems = calls.filter(({ state }, i) => state !== 'unplanned' && positions[i]! < 0).length;
  return { positions, callProblems };
}

/** @returns null unless every call has an accepted number, and the numbers rise */
function placeByNumber(
  index: TimetableIndex,
  placed: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Int32Array | null {
  const positions = new Int32Array(calls.length).fill(-1);
  let last = -1;
  for (const [i, call] of calls.entries()) {
    if (call.state === 'unplanned') continue;
    const position = findNumbered(index, placed, call, linked[i]!);
    if (position <= last) return null;
    positions[i] = position;
    last = position;
  }
  return positions;
}

/** Position of the call with the reported stop_sequence, unless its stop contradicts that; else -1. */
function findNumbered(
  index: TimetableIndex,
  { trip, isOtherTrip }: PlacedTrip,
  { stopSequence }: CallReport,
  stops: readonly number[] | null,
): number {
  if (stopSequence === null) return -1;
  const position = findSequence(index, trip, stopSequence);
  if (position < 0 || stops === null) return position;
  if (stops.length === 0) return isOtherTrip ? -1 : position;
  return isSameStation(index, stopAt(index.tables, trip, position), stops) ? position : -1;
}

/** @returns the position of the call with a stop_sequence, or -1 */
function findSequence({ tables }: TimetableIndex, trip: number, stopSequence: number): number {
  const { sequence } = tables.stopSequences;
  const first = tables.trips.firstSequence[trip]!;
  const count = callCountOf(tables, trip);
  const position = partitionPoint(0, count, (k) => sequence[first + k]! < stopSequence);
  return position < count && sequence[first + position] === stopSequence ? position : -1;
}

/** The stop itself or another one of its station: platforms change. */
function isSameStation({ tables: { stops } }: TimetableIndex, stop: number, named: readonly number[]): boolean {
  return named.some((other) => stops.station[other] === stops.station[stop]);
}

// ---- Visits ------------------------------------------------------------------------------------

/** Penalty for another stop of the station than the reported one. */
const OTHER_STOP_SECONDS = 300;
/** Penalty greater than any difference in time within a day. */
const UNLIKELY_SECONDS = 86_400;
/** A time this long past may still be that of a vehicle standing at the stop. */
const PAST_TOLERANCE_SECONDS = 120;

/** The calls of the trip that each reported call may be. */
function listVisits(
  index: TimetableIndex,
  placed: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Visit[][] {
  const times = calls.map(reportedTime);
  return calls.map((call, i) => {
    if (call.state === 'unplanned') return [];
    const numbered = findNumbered(index, placed, call, linked[i]!);
    const positions = listPositions(index, placed.trip, linked[i] ?? []);
    if (numbered >= 0 && !positions.includes(numbered)) return [{ position: numbered, isDoubtful: false, seconds: 0 }];
    return positions.map((position) => ({
      position,
      isDoubtful: numbered >= 0 && position !== numbered,
      seconds:
        distanceInTime(index, placed, call, position, findAdjacentTime(times, i)) +
        distanceOfStop(index, placed, call, position, linked[i]!),
    }));
  });
}

/** Positions at which the trip serves one of the stops, or their stations. */
function listPositions(index: TimetableIndex, trip: number, stops: readonly number[]): number[] {
  const positions: number[] = [];
  if (stops.length === 0) return positions;
  for (let position = 0; position < callCountOf(index.tables, trip); position++) {
    if (isSameStation(index, stopAt(index.tables, trip, position), stops)) positions.push(position);
  }
  return positions;
}

/** The reported time of a call: planned, else estimated. */
function reportedTime(call: CallReport): PlannedTime | null {
  const planned = plannedTime(call);
  if (planned !== null) return planned;
  if (call.departure?.time != null) return { event: 'departure', time: call.departure.time };
  if (call.arrival?.time != null) return { event: 'arrival', time: call.arrival.time };
  return null;
}

/** The time of the nearest call with one in the report: publishers report consecutive calls. */
function findAdjacentTime(times: readonly (PlannedTime | null)[], at: number): Instant | null {
  for (let distance = 1; distance < times.length; distance++) {
    const adjacent = times[at + distance] ?? times[at - distance] ?? null;
    if (adjacent !== null) return adjacent.time;
  }
  return null;
}

/**
 * Seconds between a reported call and a visit of its stop. A call without a time is compared with the times of adjacent
 * calls, and without these with the time of the report, where a future visit is preferred to a past one.
 */
function distanceInTime(
  index: TimetableIndex,
  { trip, day, now }: PlacedTrip,
  call: CallReport,
  position: number,
  adjacent: Instant | null,
): number {
  if (day === null) return 0;
  const instant = reportedTime(call);
  if (instant !== null) return deviationAt(index, trip, day, position, instant);
  const { arrival, departure } = call;
  const delaySeconds = departure?.delaySeconds ?? arrival?.delaySeconds ?? 0;
  const event = departure === null && arrival !== null ? 'arrival' : 'departure';
  const planned = dayStartOf(index, trip, day) + index.tables.times[event][timeRow(index.tables, trip, position)]!;
  const isNoEvent =
    (departure === null && arrival !== null && position === 0) ||
    (arrival === null && departure !== null && position === callCountOf(index.tables, trip) - 1);
  const away = planned + delaySeconds - (adjacent ?? now);
  const isUnlikely = isNoEvent || (adjacent === null && away < -PAST_TOLERANCE_SECONDS);
  return Math.abs(away) + (isUnlikely ? UNLIKELY_SECONDS : 0);
}

/** Penalty for a visit of another stop of the station; small where a planned time identifies the visit. */
function distanceOfStop(
  index: TimetableIndex,
  { trip, day }: PlacedTrip,
  call: CallReport,
  position: number,
  stops: readonly number[] | null,
): number {
  if (stops === null || stops.includes(stopAt(index.tables, trip, position))) return 0;
  if (day !== null && plannedTime(call) !== null) return 1;
  return day !== null && reportedTime(call) !== null ? OTHER_STOP_SECONDS : UNLIKELY_SECONDS;
}
