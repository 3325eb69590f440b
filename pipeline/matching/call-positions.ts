import type { CallReport } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';
import type { CallPositions } from './match-result.ts';
import type { StopLinks } from './stop-links.ts';
import { callCountOf, dayStartOf, findFirst, stopAt, type TimetableIndex, timeRow } from './timetable-index.ts';

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

/**
 * Finds the calls of a report in its trip: by stop_sequence where the stop is that of the sequence, or of its station,
 * or not known; else by the stop, onward from the call before, so that a loop's second visit is not taken for its first.
 * @param day service day, for the planned times that calls may carry; null where it is not known yet
 */
export function placeCalls(
  index: TimetableIndex,
  trip: number,
  day: number | null,
  calls: readonly CallReport[],
  linked: LinkedCalls,
): CallPositions {
  const positions = new Int32Array(calls.length).fill(-1);
  let last = -1;
  let callProblems = 0;
  for (const [i, call] of calls.entries()) {
    if (call.state === 'unplanned') continue;
    const position = placeCall(index, trip, day, call, linked[i]!, last);
    positions[i] = position;
    if (position < 0) callProblems++;
    else last = position;
  }
  return { positions, callProblems };
}

function placeCall(
  index: TimetableIndex,
  trip: number,
  day: number | null,
  call: CallReport,
  stops: readonly number[] | null,
  last: number,
): number {
  if (call.stopSequence !== null) {
    const position = findSequence(index, trip, call.stopSequence);
    const isKnownStop = stops !== null && stops.length > 0;
    if (position > last && (!isKnownStop || isSameCall(index, stopAt(index.tables, trip, position), stops))) {
      return position;
    }
  }
  return stops === null ? -1 : findNextCall(index, trip, day, call, stops, last);
}

/** @returns the position of the call with a stop_sequence, or -1 */
export function findSequence({ tables }: TimetableIndex, trip: number, stopSequence: number): number {
  const { sequence } = tables.stopSequences;
  const first = tables.trips.firstSequence[trip]!;
  const count = callCountOf(tables, trip);
  const position = findFirst(count, (k) => sequence[first + k]! >= stopSequence);
  return position < count && sequence[first + position] === stopSequence ? position : -1;
}

/** The stop itself, or its neighbour at the station: platforms change. */
function isSameCall({ tables: { stops } }: TimetableIndex, stop: number, named: readonly number[]): boolean {
  return named.some((other) => stops.station[other] === stops.station[stop]);
}

/**
 * The next call at a stop: the one whose plan is nearest to the told one; where no plan is told the first at the very
 * stop, and only then the first at its station.
 */
function findNextCall(
  index: TimetableIndex,
  trip: number,
  day: number | null,
  call: CallReport,
  stops: readonly number[],
  last: number,
): number {
  const planned = day === null ? null : plannedMoment(call);
  let best = -1;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let position = last + 1; position < callCountOf(index.tables, trip); position++) {
    const stop = stopAt(index.tables, trip, position);
    if (!isSameCall(index, stop, stops)) continue;
    const isVeryStop = stops.includes(stop);
    const cost = planned && day !== null ? deviationAt(index, trip, day, position, planned) : Number(!isVeryStop);
    if (cost >= bestCost) continue;
    best = position;
    bestCost = cost;
  }
  return best;
}
