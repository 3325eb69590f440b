import type { TripReport } from '../../model/realtime.ts';
import { type EpochDay, SECONDS_PER_DAY, type ServiceTime } from '../../model/service-time.ts';
import { runsOn } from '../../timetable/snapshot/contract.ts';
import { type LinkedCalls, placeCalls } from './call-positions.ts';
import { findByPlan } from './match-by-plan.ts';
import {
  isFoundById,
  type MatchContext,
  type MatchedBy,
  type TripMatch,
  type UnmatchedReason,
} from './match-result.ts';
import {
  askForTrip,
  compareCalls,
  type FoundTrip,
  isFound,
  listPlaces,
  type MatchingWorld,
  type MissedTrip,
  missed,
  type Search,
  type TripQuestion,
} from './question.ts';
import {
  callCountOf,
  dayStartOf,
  feedOfTrip,
  findFirst,
  findTrip,
  patternsOf,
  routeOfTrip,
  sourceOfTrip,
  type TimetableIndex,
  timeRow,
} from './timetable-index.ts';

/** Nobody tells of a trip that is further away than this. */
const MAX_TRIP_DISTANCE_SECONDS = SECONDS_PER_DAY;

/** Of a trip without a date: a moment at which something was told of it, and the call that it was told of. */
interface EmittedMoment {
  readonly moment: number;
  /** -1: of the trip as a whole, which is the nearer the less time lies between the moment and its way. */
  readonly position: number;
}

/** @returns the day on which the trip runs and lies nearest to the moment; why there is none, or more than one */
function findNearestDay(
  index: TimetableIndex,
  trip: number,
  told: EmittedMoment,
): EpochDay | 'not_running' | 'ambiguous' {
  const { tables } = index;
  const service = tables.trips.service[trip]!;
  const middle = Math.floor((told.moment - tables.times.departure[timeRow(tables, trip, 0)]!) / SECONDS_PER_DAY);
  // A trip of several days may be on its way since long ago.
  const daysUnderWay = Math.ceil(lengthOf(index, trip) / SECONDS_PER_DAY);
  let best = -1;
  let bestDistance = MAX_TRIP_DISTANCE_SECONDS;
  let isTied = false;
  for (let day = middle - daysUnderWay - 1; day <= middle + 1; day++) {
    if (!runsOn(tables, service, day)) continue;
    const distance = distanceFrom(index, trip, day, told);
    if (distance < bestDistance) {
      best = day;
      bestDistance = distance;
      isTied = false;
    } else if (distance === bestDistance) isTied = true;
  }
  if (best < 0) return 'not_running';
  return isTied ? 'ambiguous' : (best as EpochDay);
}

function lengthOf({ tables }: TimetableIndex, trip: number): number {
  const last = timeRow(tables, trip, callCountOf(tables, trip) - 1);
  return tables.times.arrival[last]! - tables.times.departure[timeRow(tables, trip, 0)]!;
}

/** Seconds between the moment and the trip on a day, or the call that the moment belongs to. */
function distanceFrom(index: TimetableIndex, trip: number, day: number, { moment, position }: EmittedMoment): number {
  const { tables } = index;
  const start = dayStartOf(index, trip, day);
  if (position >= 0) return Math.abs(start + tables.times.departure[timeRow(tables, trip, position)]! - moment);
  const begin = start + tables.times.departure[timeRow(tables, trip, 0)]!;
  return Math.max(0, begin - moment, moment - (begin + lengthOf(index, trip)));
}

/**
 * Of a trip without a date that several versions of a source hold, the one that is nearest to a moment: each version has
 * days of its own.
 */
function chooseVersion<Found extends { readonly trip: number; readonly day: number }>(
  index: TimetableIndex,
  found: readonly Found[],
  moment: number,
): readonly Found[] {
  const { tables } = index;
  const distance = ({ trip, day }: Found) => distanceFrom(index, trip, day, { moment, position: -1 });
  const isOtherVersion = (a: Found, b: Found) =>
    sourceOfTrip(tables, a.trip) === sourceOfTrip(tables, b.trip) &&
    feedOfTrip(tables, a.trip) !== feedOfTrip(tables, b.trip);
  return found.filter((one) => !found.some((other) => isOtherVersion(one, other) && distance(other) < distance(one)));
}

/** A run of a headway begins when it begins; one further off than this is not among the timetable's. */
const MAX_HEADWAY_DISTANCE_SECONDS = 1800;

interface NamedTrip {
  readonly trip: number;
  readonly how: MatchedBy;
}

/**
 * Finds a trip by its id, and by its start where frequencies repeat it.
 *
 * A run of a headway without exact times has no times of its own, so its publisher names the start that it really had:
 * it is laid on the run that begins nearest. Two vehicles may thus come to lie on one run.
 */
function findById(index: TimetableIndex, question: TripQuestion): Search {
  const found: FoundTrip[] = [];
  let miss = missed('unknown_trip');
  for (const { feed, linked } of listPlaces(index, question)) {
    const named = findNamed(index, feed, question.trip.tripId, question.trip.startTime);
    const dated = typeof named === 'string' ? missed(named) : dateTrip(index, named, question, linked);
    if (!isFound(dated)) {
      // What the first timetable says that knows the id at all, if it is an id of ours.
      if (miss.reason === 'unknown_trip' && !question.isForeign) miss = dated;
    } else if (!question.isForeign || isBorneOut(index, dated, question, linked)) found.push(dated);
  }
  const chosen = chooseVersion(index, found, question.now);
  if (chosen.length > 1) return missed('ambiguous');
  return chosen[0] ?? miss;
}

function findNamed(
  index: TimetableIndex,
  feed: number,
  tripId: string | null,
  startTime: ServiceTime | null,
): NamedTrip | UnmatchedReason {
  if (tripId === null) return 'unknown_trip';
  const trip = findTrip(index, feed, tripId);
  if (trip >= 0) return { trip, how: 'trip_id' };
  const runs = index.runsById[feed]!.get(tripId) ?? [];
  if (startTime !== null) return findRun(index, feed, tripId, startTime, runs);
  if (runs.length > 1) return 'no_start_time';
  return runs.length === 1 ? { trip: runs[0]!, how: 'trip_id' } : 'unknown_trip';
}

function findRun(
  index: TimetableIndex,
  feed: number,
  tripId: string,
  startTime: number,
  runs: readonly number[],
): NamedTrip | UnmatchedReason {
  const exact = findTrip(index, feed, tripId, startTime);
  if (exact >= 0) return { trip: exact, how: 'trip_id' };
  const { frequencyStart, isHeadway } = index.tables.trips;
  const distance = (run: number) => Math.abs(frequencyStart[run]! - startTime);
  const [nearest] = runs.filter((run) => isHeadway[run] === 1).sort((a, b) => distance(a) - distance(b) || a - b);
  if (nearest === undefined || distance(nearest) > MAX_HEADWAY_DISTANCE_SECONDS) return 'unknown_trip';
  return { trip: nearest, how: 'headway_run' };
}

function dateTrip(
  index: TimetableIndex,
  { trip, how }: NamedTrip,
  { day, calls, now }: TripQuestion,
  linked: LinkedCalls,
): Search {
  if (day !== null) {
    return runsOn(index.tables, index.tables.trips.service[trip]!, day)
      ? { trip, day, how }
      : missed('not_running', trip);
  }
  const nearest = findNearestDay(index, trip, findEmittedMoment(index, trip, calls, linked, now));
  if (typeof nearest === 'string') return missed(nearest, nearest === 'not_running' ? trip : null);
  return { trip, day: nearest as EpochDay, how: how === 'trip_id' ? 'trip_id_no_date' : how };
}

function findEmittedMoment(
  index: TimetableIndex,
  trip: number,
  calls: TripQuestion['calls'],
  linked: LinkedCalls,
  now: TripQuestion['now'],
): EmittedMoment {
  const { positions } = placeCalls(index, { trip, day: null, now, isOtherTrip: false }, calls, linked);
  for (const [i, { arrival, departure }] of calls.entries()) {
    const moment = departure?.scheduledTime ?? arrival?.scheduledTime ?? departure?.time ?? arrival?.time ?? null;
    if (positions[i]! >= 0 && moment !== null) return { moment, position: positions[i]! };
  }
  return { moment: now, position: -1 };
}

/** The id of another publisher's trip may be one of ours by chance: planned times tell. */
function isBorneOut(
  index: TimetableIndex,
  { trip, day }: FoundTrip,
  { calls, now }: TripQuestion,
  linked: LinkedCalls,
): boolean {
  const { agreeing, disagreeing } = compareCalls(index, { trip, day, now, isOtherTrip: false }, calls, linked);
  return agreeing > 0 && disagreeing === 0;
}

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
function findByStart(index: TimetableIndex, question: TripQuestion, idleTrip: number | null): Search {
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

/**
 * The dated trip that a report is about. A duplicate, a replacement or a cancellation is about the trip that it repeats,
 * replaces or takes away; what its publisher added is in no timetable and is not looked for.
 */
export function matchTrip(
  world: MatchingWorld,
  report: Pick<TripReport, 'trip' | 'calls' | 'relationship'>,
  about: MatchContext,
): TripMatch {
  if (report.relationship === 'added') return { kind: 'added' };
  const question = askForTrip(world, report, about);
  const search = findDatedTrip(world, question);
  if (!isFound(search)) return { kind: 'unmatched', reason: search.reason };
  return { kind: 'dated', ...search, ...placeOf(world, search, question) };
}

/** By its id; else by route and start; else by line and plan; else by what its id has stood for before. */
export function findDatedTrip(world: MatchingWorld, question: TripQuestion): FoundTrip | MissedTrip {
  const byId = findById(world.index, question);
  if (isFound(byId)) return byId;
  const byStart = findByStart(world.index, question, byId.idleTrip);
  if (isFound(byStart)) return byStart;
  // As above: to take away a trip that does not run is no news of another one.
  const isNoNews = byId.idleTrip !== null && question.isCancelling;
  const byPlan = isNoNews ? byId : findByPlan(world, question);
  if (isFound(byPlan)) return byPlan;
  const resolved = world.findResolved(question.trip, question.now);
  if (resolved) return { ...resolved, how: 'resolved_id' };
  if ([byId, byStart, byPlan].some(({ reason }) => reason === 'ambiguous')) return missed('ambiguous', byId.idleTrip);
  const isNamed = question.trip.tripId !== null && !question.isForeign;
  return isNamed ? byId : byPlan;
}

function placeOf({ index }: MatchingWorld, { trip, day, how }: FoundTrip, { places, calls, now }: TripQuestion) {
  const source = sourceOfTrip(index.tables, trip);
  const { linked } = places.find((place) => place.source === source)!;
  return placeCalls(index, { trip, day, now, isOtherTrip: !isFoundById(how) }, calls, linked);
}
