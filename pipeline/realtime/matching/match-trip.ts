import { partitionPoint } from '../../model/binary-search.ts';
import type { TripReport } from '../../model/realtime.ts';
import { type EpochDay, SECONDS_PER_DAY, type ServiceTime } from '../../model/service-time.ts';
import { getShownTrip, runsOn } from '../../snapshots/timetable-lookups.ts';
import { type LinkedCalls, placeCalls } from './call-positions.ts';
import { alignDuplicate, mergeDuplicates } from './duplicates.ts';
import { findByPlan } from './match-by-plan.ts';
import {
  type CallPositions,
  type DatedMatch,
  isFoundById,
  type MatchContext,
  type MatchedBy,
  type TripMatch,
  type UnmatchedReason,
} from './match-result.ts';
import {
  callCountOf,
  dayStartOf,
  feedOfTrip,
  findTrip,
  patternsOf,
  routeOfTrip,
  sourceOfTrip,
  type TimetableIndex,
  timeRow,
} from './timetable-index.ts';
import {
  buildTripQuery,
  compareCalls,
  type FoundTrip,
  isFound,
  listPlaces,
  type MatchingIndexes,
  type MissedTrip,
  missed,
  type TripQuery,
  type TripSearchResult,
} from './trip-query.ts';

/** No report is of a trip further away in time than this. */
const MAX_TRIP_DISTANCE_SECONDS = SECONDS_PER_DAY;

/** For a trip without a date: an instant that was reported, and the call that it belongs to. */
interface ReportedInstant {
  readonly instant: number;
  /** -1: of the whole trip; the distance is 0 while the trip is under way. */
  readonly position: number;
}

/** @returns the day on which the trip runs nearest to the instant, or the reason for no match or a tie */
function findNearestDay(
  index: TimetableIndex,
  trip: number,
  reported: ReportedInstant,
): EpochDay | 'not_running' | 'ambiguous' {
  const { tables } = index;
  const service = tables.trips.publishedService[trip]!;
  const middle = Math.floor((reported.instant - tables.times.departure[timeRow(tables, trip, 0)]!) / SECONDS_PER_DAY);
  // A trip of several days may have begun days ago.
  const daysUnderWay = Math.ceil(lengthOf(index, trip) / SECONDS_PER_DAY);
  let best = -1;
  let bestDistance = MAX_TRIP_DISTANCE_SECONDS;
  let isTied = false;
  for (let day = middle - daysUnderWay - 1; day <= middle + 1; day++) {
    if (!runsOn(tables, service, day)) continue;
    const distance = distanceFrom(index, trip, day, reported);
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

/** Seconds between the instant and the trip on a day, or its call at `position`. */
function distanceFrom(
  index: TimetableIndex,
  trip: number,
  day: number,
  { instant, position }: ReportedInstant,
): number {
  const { tables } = index;
  const start = dayStartOf(index, trip, day);
  if (position >= 0) return Math.abs(start + tables.times.departure[timeRow(tables, trip, position)]! - instant);
  const begin = start + tables.times.departure[timeRow(tables, trip, 0)]!;
  return Math.max(0, begin - instant, instant - (begin + lengthOf(index, trip)));
}

/** For a trip without a date in several versions of a source: the version whose days are nearest to the instant. */
function chooseVersion<Found extends { readonly trip: number; readonly day: number }>(
  index: TimetableIndex,
  found: readonly Found[],
  instant: number,
): readonly Found[] {
  const { tables } = index;
  const distance = ({ trip, day }: Found) => distanceFrom(index, trip, day, { instant, position: -1 });
  const isOtherVersion = (a: Found, b: Found) =>
    sourceOfTrip(tables, a.trip) === sourceOfTrip(tables, b.trip) &&
    feedOfTrip(tables, a.trip) !== feedOfTrip(tables, b.trip);
  return found.filter((one) => !found.some((other) => isOtherVersion(one, other) && distance(other) < distance(one)));
}

/** The greatest distance between a reported start and that of a headway's trip in the timetable. */
const MAX_HEADWAY_DISTANCE_SECONDS = 1800;

interface NamedTrip {
  readonly trip: number;
  readonly how: MatchedBy;
}

/**
 * Matches a trip by its id, and by its start time where frequencies repeat it.
 *
 * A trip of a headway without exact times has no planned start, so its publisher reports the start that it really had:
 * it is matched to the one that starts nearest. Two vehicles may thus be matched to the same dated trip.
 */
function findById(index: TimetableIndex, query: TripQuery): TripSearchResult {
  const found: FoundTrip[] = [];
  let miss = missed('unknown_trip');
  for (const { feed, linked } of listPlaces(index, query)) {
    const named = findNamed(index, feed, query.trip.tripId, query.trip.startTime);
    const dated = typeof named === 'string' ? missed(named) : dateTrip(index, named, query, linked);
    if (!isFound(dated)) {
      // The first timetable of the source that has the id gives the reason.
      if (miss.reason === 'unknown_trip' && !query.isForeign) miss = dated;
    } else if (!query.isForeign || isConfirmed(index, dated, query, linked)) found.push(dated);
  }
  const chosen = mergeDuplicates(index, chooseVersion(index, found, query.now));
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
  const frequencyTrips = index.frequencyTripsById[feed]!.get(tripId) ?? [];
  if (startTime !== null) return findFrequencyTrip(index, feed, tripId, startTime, frequencyTrips);
  if (frequencyTrips.length > 1) return 'no_start_time';
  return frequencyTrips.length === 1 ? { trip: frequencyTrips[0]!, how: 'trip_id' } : 'unknown_trip';
}

function findFrequencyTrip(
  index: TimetableIndex,
  feed: number,
  tripId: string,
  startTime: number,
  frequencyTrips: readonly number[],
): NamedTrip | UnmatchedReason {
  const exact = findTrip(index, feed, tripId, startTime);
  if (exact >= 0) return { trip: exact, how: 'trip_id' };
  const { frequencyStart, isHeadway } = index.tables.trips;
  const distance = (trip: number) => Math.abs(frequencyStart[trip]! - startTime);
  const [nearest] = frequencyTrips
    .filter((trip) => isHeadway[trip] === 1)
    .sort((a, b) => distance(a) - distance(b) || a - b);
  if (nearest === undefined || distance(nearest) > MAX_HEADWAY_DISTANCE_SECONDS) return 'unknown_trip';
  return { trip: nearest, how: 'headway_run' };
}

function dateTrip(
  index: TimetableIndex,
  { trip, how }: NamedTrip,
  { day, calls, now }: TripQuery,
  linked: LinkedCalls,
): TripSearchResult {
  if (day !== null) {
    return runsOn(index.tables, index.tables.trips.publishedService[trip]!, day)
      ? { trip, day, how }
      : missed('not_running', trip);
  }
  const nearest = findNearestDay(index, trip, findReportedInstant(index, trip, calls, linked, now));
  if (typeof nearest === 'string') return missed(nearest, nearest === 'not_running' ? trip : null);
  return { trip, day: nearest as EpochDay, how: how === 'trip_id' ? 'trip_id_no_date' : how };
}

function findReportedInstant(
  index: TimetableIndex,
  trip: number,
  calls: TripQuery['calls'],
  linked: LinkedCalls,
  now: TripQuery['now'],
): ReportedInstant {
  const { positions } = placeCalls(index, { trip, day: null, now, isOtherTrip: false }, calls, linked);
  for (const [i, { arrival, departure }] of calls.entries()) {
    const instant = departure?.scheduledTime ?? arrival?.scheduledTime ?? departure?.time ?? arrival?.time ?? null;
    if (positions[i]! >= 0 && instant !== null) return { instant, position: positions[i]! };
  }
  return { instant: now, position: -1 };
}

/** Another publisher's trip id may equal one of the timetable's by chance: its planned times must agree. */
function isConfirmed(
  index: TimetableIndex,
  { trip, day }: FoundTrip,
  { calls, now }: TripQuery,
  linked: LinkedCalls,
): boolean {
  const { agreeing, disagreeing } = compareCalls(index, { trip, day, now, isOtherTrip: false }, calls, linked);
  return agreeing > 0 && disagreeing === 0;
}

/** What identifies a trip when its id does not match. */
interface Start {
  readonly source: number;
  readonly linked: LinkedCalls;
  readonly route: number;
  readonly startTime: number;
  /** 0, 1, or -1 where unknown. */
  readonly direction: number;
}

/**
 * Matches a trip without its id: by route, first departure, direction and stops. Where the timetable has the id, but
 * not on that day, the trip of that id supplies what the report leaves out. The cancellation of a trip that does not
 * run anyway does not concern another trip.
 * @param idleTrip the trip of that id, which does not run on the day
 */
function findByStart(index: TimetableIndex, query: TripQuery, idleTrip: number | null): TripSearchResult {
  if (idleTrip !== null && query.isCancelling) return missed('not_running', idleTrip);
  const found: FoundTrip[] = [];
  for (const place of listPlaces(index, query)) {
    const start = readStart(index, query, place, idleTrip);
    if (start) found.push(...listCandidates(index, query, start));
  }
  const chosen = mergeDuplicates(index, chooseVersion(index, found, query.now));
  if (chosen.length > 1) return missed('ambiguous');
  return chosen[0] ?? missed('no_candidate');
}

function readStart(
  index: TimetableIndex,
  { trip, day, isCancelling }: TripQuery,
  { source, feed, linked }: TripQuery['places'][number],
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
  // Without direction or stops, route and time may also be those of the opposite direction. A cancellation names no
  // stops; it is matched to the only trip that starts then, in either direction.
  if (direction < 0 && !isCancelling && !linked.some((stops) => stops !== null && stops.length > 0)) return null;
  return { source, linked, route, startTime, direction };
}

function listCandidates(index: TimetableIndex, query: TripQuery, start: Start): FoundTrip[] {
  const { from, to } = patternsOf(index, start.route);
  const found: FoundTrip[] = [];
  for (let pattern = from; pattern < to; pattern++) {
    for (const trip of listTripsFrom(index, pattern, start.startTime)) {
      const dated = checkTrip(index, query, start, trip);
      if (isFound(dated)) found.push(dated);
    }
  }
  return found;
}

/** Departures at the first call never decrease within a pattern. */
function listTripsFrom({ tables }: TimetableIndex, pattern: number, startTime: number): number[] {
  const first = tables.patterns.firstTrip[pattern]!;
  const count = tables.patterns.tripCount[pattern]!;
  const departure = (i: number) => tables.times.departure[timeRow(tables, first + i, 0)]!;
  const trips: number[] = [];
  for (
    let i = partitionPoint(0, count, (k) => departure(k) < startTime);
    i < count && departure(i) === startTime;
    i++
  ) {
    trips.push(first + i);
  }
  return trips;
}

function checkTrip(index: TimetableIndex, query: TripQuery, start: Start, trip: number): TripSearchResult {
  const { trips } = index.tables;
  const isOtherWay = start.direction >= 0 && trips.direction[trip]! >= 0 && trips.direction[trip] !== start.direction;
  if (isOtherWay || !hasStops(index, trip, query, start.linked)) return missed('no_candidate');
  const { day, now } = query;
  const running = day ?? findNearestDay(index, trip, { instant: now, position: -1 });
  if (typeof running === 'string') return missed(running);
  return runsOn(index.tables, trips.publishedService[trip]!, running)
    ? { trip, day: running, how: 'route_start' }
    : missed('not_running');
}

/** Whether the trip serves every stop of the report that the timetable has, in that order. */
function hasStops(index: TimetableIndex, trip: number, { calls, now }: TripQuery, linked: LinkedCalls): boolean {
  const { positions } = placeCalls(index, { trip, day: null, now, isOtherTrip: true }, calls, linked);
  return calls.every(
    (call, i) => positions[i]! >= 0 || call.state === 'unplanned' || linked[i] === null || linked[i]!.length === 0,
  );
}

/**
 * Matches a report to a dated trip: for a duplicate, a replacement or a cancellation the scheduled trip that it
 * repeats, replaces or cancels. An added trip is in no timetable and is not looked up.
 */
export function matchTrip(
  indexes: MatchingIndexes,
  report: Pick<TripReport, 'trip' | 'calls' | 'relationship'>,
  context: MatchContext,
): TripMatch {
  if (report.relationship === 'added') return { kind: 'added' };
  const query = buildTripQuery(indexes, report, context);
  const search = findDatedTrip(indexes, query);
  if (!isFound(search)) return { kind: 'unmatched', reason: search.reason };
  return showMatch(indexes, search, placeOf(indexes, search, query));
}

/** A report of a duplicate counts for the trip that is shown, at the same calls. */
function showMatch({ index }: MatchingIndexes, { trip, day, how }: FoundTrip, placed: CallPositions): DatedMatch {
  const shown = getShownTrip(index.tables, trip, day);
  if (shown.trip === trip) return { kind: 'dated', trip, day, how, ...placed };
  const onShown = alignDuplicate(index, shown, { trip, day });
  const positions = placed.positions.map((position) => (position < 0 ? -1 : onShown[position]!));
  const lost = placed.positions.filter((position) => position >= 0 && onShown[position]! < 0).length;
  return { kind: 'dated', ...shown, how, positions, callProblems: placed.callProblems + lost };
}

/** By id; else by route and start; else by line and plan; else by an earlier report with the same id. */
export function findDatedTrip(indexes: MatchingIndexes, query: TripQuery): FoundTrip | MissedTrip {
  const byId = findById(indexes.index, query);
  if (isFound(byId)) return byId;
  const byStart = findByStart(indexes.index, query, byId.idleTrip);
  if (isFound(byStart)) return byStart;
  // As in `findByStart`: cancelling a trip that does not run does not concern another one.
  const isIrrelevant = byId.idleTrip !== null && query.isCancelling;
  const byPlan = isIrrelevant ? byId : findByPlan(indexes, query);
  if (isFound(byPlan)) return byPlan;
  const resolved = indexes.findResolved(query.trip, query.now);
  if (resolved) return { ...resolved, how: 'resolved_id' };
  if ([byId, byStart, byPlan].some(({ reason }) => reason === 'ambiguous')) return missed('ambiguous', byId.idleTrip);
  const isNamed = query.trip.tripId !== null && !query.isForeign;
  return isNamed ? byId : byPlan;
}

function placeOf({ index }: MatchingIndexes, { trip, day, how }: FoundTrip, query: TripQuery) {
  const { places, calls, now, isReplacing } = query;
  const source = sourceOfTrip(index.tables, trip);
  const { linked } = places.find((place) => place.source === source)!;
  return placeCalls(index, { trip, day, now, isOtherTrip: isReplacing || !isFoundById(how) }, calls, linked);
}
