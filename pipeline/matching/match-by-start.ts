import { runsOn } from '../snapshots/contract.ts';
import { type LinkedCalls, placeCalls } from './call-positions.ts';
import { type FoundTrip, isFound, listPlaces, missed, type Search, type TripQuestion } from './question.ts';
import { chooseVersion, findNearestDay } from './service-day.ts';
import { findFirst, patternsOf, routeOfTrip, sourceOfTrip, type TimetableIndex, timeRow } from './timetable-index.ts';

/** What stands for an id that does not match. */
interface Start {
  readonly source: number;
  readonly linked: LinkedCalls;
  readonly route: number;
  readonly startTime: number;
  /** 0, 1, or -1 where unknown. */
  readonly direction: number;
}

/**
 * Finds a trip without its id: by route, first departure, direction and stops. Where the timetable has the id, but not
 * on that day, the trip of that id says what its publisher left out. A report that takes a trip away which does not run
 * anyhow is no news of another trip.
 * @param idleTrip the trip of that id that does not run on the day
 */
export function findByStart(index: TimetableIndex, question: TripQuestion, idleTrip: number | null): Search {
  if (idleTrip !== null && question.isCancelling) return missed('not_running', idleTrip);
  const found: FoundTrip[] = [];
  for (const place of listPlaces(index, question)) {
    const start = readStart(index, question, place, idleTrip);
    if (start) found.push(...listCandidates(index, question, start));
  }
  const chosen = chooseVersion(index, found, question.now);
  if (chosen.length > 1) return missed('ambiguous');
  return chosen[0] ?? missed('no_candidate');
}

function readStart(
  index: TimetableIndex,
  { trip, day, isCancelling }: TripQuestion,
  { source, feed, linked }: TripQuestion['places'][number],
  idleTrip: number | null,
): Start | null {
  const { tables } = index;
  const idle = idleTrip !== null && day !== null && sourceOfTrip(tables, idleTrip) === source ? idleTrip : null;
  const route =
    (trip.routeId === null ? undefined : index.routesById[feed]!.get(trip.routeId)) ??
    (idle === null ? undefined : routeOfTrip(tables, idle));
  const startTime = trip.startTime ?? (idle === null ? null : tables.times.departure[timeRow(tables, idle, 0)]!);
  const direction = trip.directionId ?? (idle === null ? -1 : tables.trips.direction[idle]!);
  if (route === undefined || startTime === null) return null;
  // Without direction or stops, a route and a time may as well be those of the way back. A cancellation has no stops to
  // name; it is of the only trip that begins then, either way.
  if (direction < 0 && !isCancelling && !linked.some((stops) => stops !== null && stops.length > 0)) return null;
  return { source, linked, route, startTime, direction };
}

function listCandidates(index: TimetableIndex, question: TripQuestion, start: Start): FoundTrip[] {
  const { from, to } = patternsOf(index, start.route);
  const found: FoundTrip[] = [];
  for (let pattern = from; pattern < to; pattern++) {
    for (const trip of listTripsFrom(index, pattern, start.startTime)) {
      const dated = checkTrip(index, question, start, trip);
      if (isFound(dated)) found.push(dated);
    }
  }
  return found;
}

/** Departures at the first call never fall within a pattern. */
function listTripsFrom({ tables }: TimetableIndex, pattern: number, startTime: number): number[] {
  const first = tables.patterns.firstTrip[pattern]!;
  const count = tables.patterns.tripCount[pattern]!;
  const departure = (i: number) => tables.times.departure[timeRow(tables, first + i, 0)]!;
  const trips: number[] = [];
  for (let i = findFirst(count, (k) => departure(k) >= startTime); i < count && departure(i) === startTime; i++) {
    trips.push(first + i);
  }
  return trips;
}

function checkTrip(index: TimetableIndex, question: TripQuestion, start: Start, trip: number): Search {
  const { trips } = index.tables;
  const isOtherWay = start.direction >= 0 && trips.direction[trip]! >= 0 && trips.direction[trip] !== start.direction;
  if (isOtherWay || !hasStops(index, trip, question, start.linked)) return missed('no_candidate');
  const { day, now } = question;
  const running = day ?? findNearestDay(index, trip, { moment: now, position: -1 });
  if (typeof running === 'string') return missed(running);
  return runsOn(index.tables, trips.service[trip]!, running)
    ? { trip, day: running, how: 'route_start' }
    : missed('not_running');
}

/** Whether the trip comes to every stop of the report that the timetable knows, in that order. */
function hasStops(index: TimetableIndex, trip: number, { calls, now }: TripQuestion, linked: LinkedCalls): boolean {
  const { positions } = placeCalls(index, { trip, day: null, now, isOtherTrip: true }, calls, linked);
  return calls.every(
    (call, i) => positions[i]! >= 0 || call.state === 'unplanned' || linked[i] === null || linked[i]!.length === 0,
  );
}
