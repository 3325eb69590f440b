import type { CallReport } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { CallPositions } from './match-result.ts';
import type { StopLinks } from './stop-links.ts';
import { callCountOf, dayStartOf, findFirst, stopAt, type TimetableIndex, timeRow } from './timetable-index.ts';

/** A call of a trip that a call of a report may be. */
interface Visit {
  readonly position: number;
  /** The report's own number names another one. */
  readonly isDoubtful: boolean;
  /** How far it is from what the report says; at most some days. */
  readonly seconds: number;
}

/** Rank of a placed call: more than a trip has calls, so that no number of doubts outweighs a call. */
const PLACED = 1_000_000;

/** How a call is placed best before a position of the trip; 0 where it is left out. */
const PLACED_EARLIER = 1;
const PLACED_HERE = 2;

/**
 * Chooses a visit for each call of a report, so that positions rise: as many calls as possible, then as few doubtful
 * visits, then as little distance in sum; of equals the earlier call, then the earlier visit.
 * @param visits by call, each call's of different positions
 * @param callCount of the trip
 * @returns positions by call, -1 for one that has none
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

/** Stops of a report's calls in one timetable, by call: rows; none where the stop is not known; null where none is named. */
export type LinkedCalls = readonly (readonly number[] | null)[];

export interface PlannedMoment {
  readonly event: 'arrival' | 'departure';
  readonly time: Instant;
}

export function linkCalls(links: StopLinks, calls: readonly CallReport[], source: number): LinkedCalls {
  return calls.map(({ stop }) => (stop === null ? null : (links.find(stop, source)?.stops ?? [])));
}

/** What a call was planned for; its departure where both are told. */
export function plannedMoment({ arrival, departure }: CallReport): PlannedMoment | null {
  if (departure?.scheduledTime != null) return { event: 'departure', time: departure.scheduledTime };
  if (arrival?.scheduledTime != null) return { event: 'arrival', time: arrival.scheduledTime };
  return null;
}

/** Seconds between what a call was planned for, by the report, and the time it has in the timetable. */
export function deviationAt(
  index: TimetableIndex,
  trip: number,
  day: number,
  position: number,
  { event, time }: PlannedMoment,
): number {
  const { tables } = index;
  return Math.abs(dayStartOf(index, trip, day) + tables.times[event][timeRow(tables, trip, position)]! - time);
}

/** A trip that calls are looked for in. */
export interface PlacedTrip {
  readonly trip: number;
  /** Service day, for the times of its calls; null where it is not known yet. */
  readonly day: number | null;
  /** When the report was published: calls without any time are near it. */
  readonly now: Instant;
  /** The report names another trip, e.g. one of an older timetable: its stop_sequences are not those of this one. */
  readonly isOtherTrip: boolean;
}

/**
 * Finds the calls of a report in its trip. A stop_sequence is believed where the trip has that stop, or its neighbour
 * at the station, at that number; else the call is the visit of the stop that is nearest in time. Positions rise along
 * the report, so of several ways to place it the one counts that places most calls, then the one that believes most
 * numbers, then the one nearest in time.
 */
export function placeCalls(
  index: TimetableIndex,
  run: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): CallPositions {
  const positions =
    placeByNumber(index, run, calls, linked) ??
    alignVisits(listVisits(index, run, calls, linked), callCountOf(index.tables, run.trip));
  const callProblems = calls.filter(({ state }, i) => state !== 'unplanned' && positions[i]! < 0).length;
  return { positions, callProblems };
}

/** @returns null where not every call has a number that is believed, or the numbers fall */
function placeByNumber(
  index: TimetableIndex,
  run: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Int32Array | null {
  const positions = new Int32Array(calls.length).fill(-1);
  let last = -1;
  for (const [i, call] of calls.entries()) {
    if (call.state === 'unplanned') continue;
    const position = findNumbered(index, run, call, linked[i]!);
    if (position <= last) return null;
    positions[i] = position;
    last = position;
  }
  return positions;
}

/** The call of the number that a report gives, where its stop does not speak against that; else -1. */
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
  const position = findFirst(count, (k) => sequence[first + k]! >= stopSequence);
  return position < count && sequence[first + position] === stopSequence ? position : -1;
}

/** The stop itself, or its neighbour at the station: platforms change. */
function isSameStation({ tables: { stops } }: TimetableIndex, stop: number, named: readonly number[]): boolean {
  return named.some((other) => stops.station[other] === stops.station[stop]);
}

// ---- Visits ------------------------------------------------------------------------------------

/** Another stop of the station is taken for the one that a report names as if it were this much further away in time. */
const OTHER_STOP_SECONDS = 300;
/** Speaks against a visit more than any difference in time within a day. */
const HARDLY_SECONDS = 86_400;
/** A time this much over may still be that of a vehicle that stands there. */
const HARDLY_OVER_SECONDS = 120;

/** The calls of its trip that each call of a report may be. */
function listVisits(
  index: TimetableIndex,
  run: PlacedTrip,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): Visit[][] {
  const times = calls.map(reportedMoment);
  return calls.map((call, i) => {
    if (call.state === 'unplanned') return [];
    const numbered = findNumbered(index, run, call, linked[i]!);
    const positions = listPositions(index, run.trip, linked[i] ?? []);
    if (numbered >= 0 && !positions.includes(numbered)) return [{ position: numbered, isDoubtful: false, seconds: 0 }];
    return positions.map((position) => ({
      position,
      isDoubtful: numbered >= 0 && position !== numbered,
      seconds:
        distanceInTime(index, run, call, position, findBeside(times, i)) +
        distanceOfStop(index, run, call, position, linked[i]!),
    }));
  });
}

/** Where the trip comes to one of the stops, or to their stations. */
function listPositions(index: TimetableIndex, trip: number, stops: readonly number[]): number[] {
  const positions: number[] = [];
  if (stops.length === 0) return positions;
  for (let position = 0; position < callCountOf(index.tables, trip); position++) {
    if (isSameStation(index, stopAt(index.tables, trip, position), stops)) positions.push(position);
  }
  return positions;
}

/** When a call is, by the report: as planned, else as estimated. */
function reportedMoment(call: CallReport): PlannedMoment | null {
  const planned = plannedMoment(call);
  if (planned !== null) return planned;
  if (call.departure?.time != null) return { event: 'departure', time: call.departure.time };
  if (call.arrival?.time != null) return { event: 'arrival', time: call.arrival.time };
  return null;
}

/** The time nearest to a call in the report, where it has none itself: publishers name calls that follow each other. */
function findBeside(times: readonly (PlannedMoment | null)[], at: number): Instant | null {
  for (let distance = 1; distance < times.length; distance++) {
    const beside = times[at + distance] ?? times[at - distance] ?? null;
    if (beside !== null) return beside.time;
  }
  return null;
}

/**
 * Seconds between what a report says of a call and a visit of its stop. A call without any time is near the times
 * beside it, and where there are none near the moment of the report, rather to come than over.
 */
function distanceInTime(
  index: TimetableIndex,
  { trip, day, now }: PlacedTrip,
  call: CallReport,
  position: number,
  beside: Instant | null,
): number {
  if (day === null) return 0;
  const moment = reportedMoment(call);
  if (moment !== null) return deviationAt(index, trip, day, position, moment);
  const { arrival, departure } = call;
  const delaySeconds = departure?.delaySeconds ?? arrival?.delaySeconds ?? 0;
  const event = departure === null && arrival !== null ? 'arrival' : 'departure';
  const planned = dayStartOf(index, trip, day) + index.tables.times[event][timeRow(index.tables, trip, position)]!;
  const isNoEvent =
    (departure === null && arrival !== null && position === 0) ||
    (arrival === null && departure !== null && position === callCountOf(index.tables, trip) - 1);
  const away = planned + delaySeconds - (beside ?? now);
  const isHardly = isNoEvent || (beside === null && away < -HARDLY_OVER_SECONDS);
  return Math.abs(away) + (isHardly ? HARDLY_SECONDS : 0);
}

/** What speaks against a visit of a neighbour of the stop that is named: little where a planned time tells the visit. */
function distanceOfStop(
  index: TimetableIndex,
  { trip, day }: PlacedTrip,
  call: CallReport,
  position: number,
  stops: readonly number[] | null,
): number {
  if (stops === null || stops.includes(stopAt(index.tables, trip, position))) return 0;
  if (day !== null && plannedMoment(call) !== null) return 1;
  return day !== null && reportedMoment(call) !== null ? OTHER_STOP_SECONDS : HARDLY_SECONDS;
}
