import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TripRequest, TripResult } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { PlanPlace, PlanQuery, Ride } from '../planner/itinerary.ts';
import type { Planner } from '../planner/open-planner.ts';
import { PlanTimeout } from '../planner/search.ts';
import { toGate } from '../planner/trace.ts';
import { type FindTransferChance, openTransferChances } from '../predictions/transfer-chances.ts';
import { getCallStop, openTrip } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import { getMembers } from '../read/timetable.ts';
import { readLegs } from '../rescue/read-legs.ts';
import { openSharing } from '../sharing/open-sharing.ts';
import { chooseWay } from '../trips/choose-way.ts';
import { isLiftMissing } from '../trips/lift-outages.ts';
import { checkTime, readQuestion, type TripsContext } from '../trips/plan-trips.ts';
import { isConnected, joinRides } from '../trips/present-legs.ts';
import { presentTrip, type TripContext } from '../trips/present-trip.ts';
import { keepBookable } from '../trips/reach-on-demand.ts';
import { type DatedRide, getAlighting, getBoarding, openRun } from '../trips/run.ts';
import { computeTimeline, type Plan, type PlannedWalk, type Timeline } from '../trips/timeline.ts';
import { rememberPaths } from '../trips/walk-paths.ts';
import { compareRides, type ListDepartures, openDepartures } from './list-departures.ts';

/** Departures on either side of the replaced one. */
const WANTED = 2;
/** How far from the replaced departure to search, step by step: the first period is usually enough. */
const SEARCHED_SECONDS = [2 * 3600, 24 * 3600];
/** JSON Pointer of the request member. */
const POINTER = '/legAlternatives';

/**
 * The trip of a request with one of its rides replaced by each of the previous two and the next two departures that
 * connect with the rides before and after.
 * @param body with `legAlternatives`
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop` and `invalid_body` with the JSON Pointer of the
 * member, `timetable_out_of_range`, `mode_unavailable`; PlanTimeout when the time limit is reached
 */
export async function findLegAlternatives(context: TripsContext, body: TripRequest): Promise<TripResult> {
  const { published, places, references, walks, instant } = context;
  const { legs, leg } = body.legAlternatives!;
  if (leg >= legs.length) {
    throw new ApiProblem('invalid_body', `"${POINTER}/leg" must be an index into "legs".`, `${POINTER}/leg`);
  }
  checkTime(published.timetable, instant, undefined);
  const { rides } = readLegs(published, references, legs, instant, `${POINTER}/legs`);
  const stock = { sharing: openSharing(published.realtime), instant };
  // Booked rides before and after the replaced one stay possible after their deadlines.
  const times = { now: null, around: getBoarding(openRun(published, rides[leg]!, instant)).departure.expected };
  const read = await readQuestion(places, body, instant, walks, stock, times);
  const { places: requested } = read;
  const query = read.onDemandQuery ?? read.query;
  checkEnds(published, query, rides);
  const timelines = listAlternatives({ ...context, query: keepBookableEnd(context, query, rides, leg) }, rides, leg);
  const presenting: TripContext = {
    published,
    references,
    places: requested,
    paths: rememberPaths(walks, body.wheelchair ? 'wheelchair' : 'foot'),
    wheelchair: body.wheelchair,
    instant,
    withBike: body.bikeOnBoard ?? false,
  };
  return { trips: await Promise.all(timelines.map((timeline) => presentTrip(presenting, timeline))) };
}

/** Where the replaced ride is the first or last one, the on-demand ride next to it must be booked again. */
function keepBookableEnd(
  { published: { timetable }, instant }: TripsContext,
  query: PlanQuery,
  { length }: readonly DatedRide[],
  leg: number,
): PlanQuery {
  return {
    ...query,
    ...(leg === 0 ? { from: keepBookable(timetable, query.from, 'access', instant) } : {}),
    ...(leg === length - 1 ? { to: keepBookable(timetable, query.to, 'egress', instant) } : {}),
  };
}

/** @throws ApiProblem `invalid_body` if the trip does not begin or end at the places of the request */
function checkEnds(published: Published, { from, to }: PlanQuery, rides: readonly DatedRide[]): void {
  const refuse = (what: string, pointer: string) =>
    new ApiProblem('invalid_body', `The trip of "${POINTER}" does not ${what}. Send the body of its search.`, pointer);
  if (!canReach(from, findStop(published, rides[0]!, 'board'))) throw refuse('begin near "/from"', '/from');
  if (!canReach(to, findStop(published, rides.at(-1)!, 'alight'))) throw refuse('end near "/to"', '/to');
}

/** A stop that is not in the timetable has no known location. */
function canReach({ members, reach }: PlanPlace, stop: number): boolean {
  return stop < 0 || members.includes(stop) || reach.some((one) => one.stop === stop);
}

function findStop(published: Published, ride: DatedRide, end: 'board' | 'alight'): number {
  return getCallStop(openTrip(published, ride), end === 'board' ? ride.boardPosition : ride.alightPosition);
}

// ---- Departures --------------------------------------------------------------------------------

interface AlternativesContext {
  readonly published: Published;
  readonly planner: Planner;
  readonly instant: Instant;
  readonly query: PlanQuery;
  readonly isSpent: TripsContext['isSpent'];
}

/** Lists the complete trips, ordered by the departure that replaces the leg. */
export function listAlternatives(
  context: AlternativesContext,
  rides: readonly DatedRide[],
  leg: number,
): readonly Timeline[] {
  const { published, instant, planner, query } = context;
  const stations = (['board', 'alight'] as const).map((end) =>
    listStation(published, findStop(published, rides[leg]!, end)),
  );
  const list = openDepartures(
    { planner, realtime: published.realtime, instant, query },
    { origins: stations[0]!, destinations: new Set(stations[1]) },
  );
  const run = openRun(published, rides[leg]!, instant);
  const [departure, arrival] = [getBoarding(run).departure.expected, getAlighting(run).arrival.expected];
  const own = { ...rides[leg]!, kind: 'ride', isStaying: false, departure, arrival } as const;
  const search: LegSearch = { ...context, rides, leg, own, list, findChance: openTransferChances(published, instant) };
  return [...findNeighbours(search, -1).reverse(), ...findNeighbours(search, 1)];
}

/** The platforms of the station of a stop. */
function listStation({ timetable: { tables } }: Published, stop: number): readonly number[] {
  return stop < 0 ? [] : [...getMembers(tables, tables.stops.station[stop]!)];
}

interface LegSearch extends AlternativesContext {
  readonly rides: readonly DatedRide[];
  readonly leg: number;
  /** The replaced ride. */
  readonly own: Ride;
  readonly list: ListDepartures;
  readonly findChance: FindTransferChance;
}

/** Finds the departures closest before (-1) or after the replaced one, closest first. */
function findNeighbours(search: LegSearch, side: -1 | 1): Timeline[] {
  const { own, rides, isSpent } = search;
  const isOfTrip = (ride: Ride) => rides.some(({ trip, addedTrip, day }) => isSame(ride, { trip, addedTrip, day }));
  const limits = findLimits(search);
  const known = new Map<string, Timeline | null>();
  let found: Timeline[] = [];
  for (const seconds of SEARCHED_SECONDS) {
    const [from, to] =
      side > 0
        ? [own.departure, Math.min(own.departure + seconds + 1, limits.to)]
        : [Math.max(own.departure - seconds, limits.from), own.departure + 1];
    const ordered = from < to ? search.list(from, to) : [];
    const beside = ordered.filter((ride) => side * compareRides(ride, own) > 0 && !isOfTrip(ride));
    found = [];
    for (const ride of side > 0 ? beside : beside.reverse()) {
      if (isSpent()) throw new PlanTimeout();
      const name = `${ride.trip} ${ride.addedTrip} ${ride.day} ${ride.boardPosition}`;
      const timeline = known.has(name) ? (known.get(name) ?? null) : replaceLeg(search, ride);
      known.set(name, timeline);
      if (timeline) found.push(timeline);
      if (found.length === WANTED) return found;
    }
    const isWhole = side > 0 ? to === limits.to : from === limits.from;
    if (isWhole) return found;
  }
  return found;
}

function isSame(ride: Ride, other: Pick<Ride, 'trip' | 'addedTrip' | 'day'>): boolean {
  return ride.trip === other.trip && ride.addedTrip === other.addedTrip && ride.day === other.day;
}

/** Departures before now, before the previous arrival, or after the next departure are out of range. */
function findLimits({ published, instant, rides, leg }: LegSearch): { readonly from: number; readonly to: number } {
  const [before, next] = [rides[leg - 1], rides[leg + 1]];
  const arrives = before ? getAlighting(openRun(published, before, instant)).arrival.expected : 0;
  const leaves = next ? getBoarding(openRun(published, next, instant)).departure.expected : Number.POSITIVE_INFINITY;
  return { from: Math.max(arrives, instant), to: leaves };
}

/** The trip with the ride replaced; `null` if that does not connect, or its end is too far from the place. */
function replaceLeg(search: LegSearch, ride: Ride): Timeline | null {
  const { published, query, instant, leg, findChance } = search;
  const rides = search.rides.map((one, i) => (i === leg ? ride : one));
  const pairs = [leg, leg + 1].filter((i) => i > 0 && i < rides.length);
  if (!pairs.every((i) => isConnected(published, rides[i - 1]!, rides[i]!, query))) return null;
  const access = listGate(search, rides[0]!, false);
  const egress = listGate(search, rides.at(-1)!, true);
  if (access === null || egress === null) return null;
  const joined = joinRides(published, rides, query);
  const parts: Plan['parts'] = [...access, ...joined.parts, ...egress];
  const timeline = computeTimeline(published, { ...joined, parts }, instant, findChance);
  if (query.wheelchair && isLiftMissing(published, timeline)) return null;
  const isInTime = leg > 0 || timeline.begin.expected >= instant;
  return isInTime && pairs.every((i) => holdsTransfer(timeline, i)) ? timeline : null;
}

/** The way to the first ride, or from the last one; `null` if there is none. */
function listGate(
  { published, query, instant }: LegSearch,
  ride: DatedRide,
  isArriving: boolean,
): PlannedWalk[] | null {
  const stop = findStop(published, ride, isArriving ? 'alight' : 'board');
  if (stop < 0) return [];
  const run = openRun(published, ride, instant);
  const time = isArriving ? getAlighting(run).arrival.expected : getBoarding(run).departure.expected;
  const { walkSpeedKmh } = query;
  const way = chooseWay(isArriving ? query.to : query.from, stop, { isArriving, time, walkSpeedKmh });
  return way && [toGate(query, { stop, place: isArriving ? 1 : 0, ...way, isArriving })];
}

/** Whether there is enough time for the transfer before a ride, by the rules of the planner. */
function holdsTransfer({ parts }: Timeline, ride: number): boolean {
  const rides = parts.flatMap(({ kind }, i) => (kind === 'ride' ? i : []));
  return parts
    .slice(rides[ride - 1]! + 1, rides[ride])
    .every((part) => part.kind === 'ride' || part.transfer === null || part.transfer.slackSeconds >= 0);
}
