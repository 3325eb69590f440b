import type { Instant } from '../../../pipeline/model/service-time.ts';
import { walkSeconds } from '../../../pipeline/model/walking.ts';
import type { Realtime } from '../read/realtime.ts';
import type { DepartureScope } from './departures.ts';
import { NEVER } from './int-list.ts';
import type { PlanPlace, PlanQuery } from './itinerary.ts';
import type { BoundsTask, LowerBounds } from './lower-bounds.ts';
import type { Planner } from './open-planner.ts';
import type { Passage } from './passages.ts';
import { createSecondsTable, type Gate, listGates, type TimeBase } from './places.ts';
import type { ProfileScope } from './profile-scope.ts';
import { createTask, type RideTask, type SearchTask } from './search.ts';
import { openLiveDirection, type Sign } from './search-direction.ts';
import { openTimedEgress } from './timed-gates.ts';
import type { PartScope } from './trace.ts';
import { getStaySeconds } from './via-stays.ts';
import { blockPlaces, findWantedRoutes } from './wanted-routes.ts';

/** A query and its data. */
interface PlanRequest {
  readonly planner: Planner;
  readonly realtime: Realtime | null;
  /** Determines which realtime data is fresh. */
  readonly instant: Instant;
  readonly query: PlanQuery;
  /** Returns true once the query has exceeded its time limit. */
  readonly isSpent: () => boolean;
}

/** A request for a page of itineraries. */
export interface PlanPageRequest extends PlanRequest {
  readonly timeLimit: TimeLimit;
}

/** The part of a time limit that the present step of a request may use. */
export interface TimeLimit {
  getShare: () => number;
}

/** Prepares a query for searches, one scope per span; caches the last one. */
export function openScopes(request: PlanRequest, sign: Sign): (span: number) => ProfileScope {
  let known: { readonly span: number; readonly scope: ProfileScope } | null = null;
  return (span) => {
    if (known?.span !== span) known = { span, scope: openScope(request, sign, span) };
    return known.scope;
  };
}

export function openScope(request: PlanRequest, sign: Sign, span: number): ProfileScope {
  const { planner, query } = request;
  const network = openNetwork(request, sign, span);
  const times = toTimeBase(network);
  const gatesTo = listGatesTo(planner, query, times);
  const egress = planner.writeEgress[sign > 0 ? 'ahead' : 'back'](gatesTo);
  const vias = listPassages(planner, query, sign);
  const entries = listEntries(planner, query, times);
  // Bounds are those from the last via on, which may be anywhere.
  const needed = { begins: vias.length > 0 ? null : entries, maxSeconds: NEVER };
  const bounds = findBoundsTo(request, network, egress, needed);
  const task = createTask({ ...network, egress, timedEgress: openTimedEgress(gatesTo), vias }, bounds);
  return scopeOf(request, task, entries);
}

/** The data for reconstructing itineraries in one direction of search. */
export interface RideScope extends PartScope {
  readonly entries: DepartureScope['entries'];
}

/**
 * Prepares a query for following single rides, without the bounds of a search, one scope per span; caches the last one.
 */
export function openRideScopes(request: PlanRequest, sign: Sign): (span: number) => RideScope {
  let known: { readonly span: number; readonly scope: RideScope } | null = null;
  const open = (span: number): RideScope => {
    const { planner, query } = request;
    const network = openNetwork(request, sign, span);
    const times = toTimeBase(network);
    const gatesTo = listGatesTo(planner, query, times);
    const egress = createSecondsTable(planner.places.count)(gatesTo);
    const vias = listPassages(planner, query, sign);
    const task = createTask({ ...network, egress, timedEgress: openTimedEgress(gatesTo), vias }, null);
    const entries = listEntries(planner, query, times);
    return { tables: planner.timetable.tables, places: planner.places, query, task, entries };
  };
  return (span) => {
    if (known?.span !== span) known = { span, scope: open(span) };
    return known.scope;
  };
}

/**
 * Prepares a search backward in time without an end: it covers every place that a search forward may reach. Vias are
 * ignored.
 * @param starts where the forward search begins, and the seconds until then
 * @param maxSeconds no way from there is longer
 */
export function openScopeBackTo(
  request: PlanRequest,
  span: number,
  starts: readonly Gate[],
  maxSeconds: number,
): ProfileScope {
  const { planner } = request;
  const network = openNetwork(request, -1, span);
  const needed = { begins: null, maxSeconds: maxSeconds + 1 };
  const bounds = findBoundsTo(request, network, planner.writeEgress.back(starts), needed);
  const egress = new Int32Array(planner.places.count).fill(-1);
  const entries = listEntries(planner, request.query, toTimeBase(network));
  const task = createTask({ ...network, egress, timedEgress: undefined, vias: [] }, bounds);
  return scopeOf(request, task, entries);
}

function scopeOf({ planner, query }: PlanRequest, task: SearchTask, entries: ProfileScope['entries']): ProfileScope {
  return {
    tables: planner.timetable.tables,
    places: planner.places,
    query,
    search: planner.search,
    getOtherSearch: planner.getOppositeSearch,
    task,
    entries,
  };
}

/** Returns the places of the query, the stays there and the walks between them in the direction of search. */
function inOrder(query: PlanQuery, sign: Sign) {
  const places: PlanPlace[] = [query.from, ...query.via, query.to];
  const stays = places.map((_, place) => getStaySeconds(query, place));
  const stretches = [...query.stretchMeters];
  if (sign > 0) return { places, stays, stretches };
  return { places: places.reverse(), stays: stays.reverse(), stretches: stretches.reverse() };
}

function toTimeBase({ direction: { sign }, raptorRoutes }: Pick<RideTask, 'direction' | 'raptorRoutes'>): TimeBase {
  return { sign, base: sign * raptorRoutes.base };
}

function listGatesTo({ places }: Planner, query: PlanQuery, times: TimeBase): Gate[] {
  return listGates(places, inOrder(query, times.sign).places.at(-1)!, query.walkSpeedKmh, times);
}

function findBoundsTo(
  request: PlanRequest,
  { direction, live, transferSeconds, maxRounds }: ReturnType<typeof openNetwork>,
  egress: Int32Array,
  { begins, maxSeconds }: Pick<BoundsTask, 'begins' | 'maxSeconds'>,
): LowerBounds {
  const { findBounds, timetable, directions, getMinTimes } = request.planner;
  const { tables } = timetable;
  const opposite = directions[direction.sign > 0 ? 'back' : 'ahead'];
  const least = getMinTimes(live);
  return findBounds(request, {
    tables,
    direction,
    opposite,
    least,
    live,
    transferSeconds,
    egress,
    maxRounds,
    begins,
    maxSeconds,
  });
}

/** Collects the routes and transfers that the query permits. */
function openNetwork(request: PlanRequest, sign: Sign, span: number) {
  const { planner, realtime, instant, query, isSpent } = request;
  const raptorRoutes = planner.getRaptorRoutes(span);
  const live = planner.getLiveRoutes(raptorRoutes, realtime, instant, query.booked);
  const direction = planner.directions[sign > 0 ? 'ahead' : 'back'];
  return {
    raptorRoutes,
    runningTimes: planner.runningTimes,
    live,
    liveDirection: live ? openLiveDirection(live, sign) : null,
    direction,
    transferSeconds: planner.getTransferSeconds(query),
    maxRounds: query.maxTransfers + 1,
    gaps: planner.getDepartureGaps(request, { raptorRoutes, live }, direction),
    wanted: findWantedRoutes(planner.timetable, realtime, live, query),
    isWheelchair: query.wheelchair,
    isBlocked: blockPlaces(planner.places, query.wheelchair ? planner.getBlocked() : null, query.avoid),
    withBike: query.bikeOnBoard ?? false,
    isSpent,
  } satisfies Omit<SearchTask, 'egress' | 'timedEgress' | 'bounds' | 'vias'>;
}

function listPassages({ places, timetable }: Planner, query: PlanQuery, sign: Sign): Passage[] {
  const order = inOrder(query, sign);
  return order.places.slice(1, -1).map((place, i) => {
    const gates = listGates(places, place, query.walkSpeedKmh);
    const staySeconds = order.stays[i + 1]!;
    const isStop = new Uint8Array(timetable.tables.stops.source.length);
    for (const stop of staySeconds > 0 ? [] : place.members) isStop[stop] = 1;
    const next = order.stretches[i + 1] ?? null;
    return {
      staySeconds,
      isStop,
      isMember: markMembers(gates, places.count),
      secondsThere: createSecondsTable(places.count)(gates),
      onward: gates,
      nextSeconds: next === null ? null : walkSeconds(next, query.walkSpeedKmh),
    };
  });
}

function markMembers(gates: readonly Gate[], count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (const { place, isMember } of gates) if (isMember) marks[place] = 1;
  return marks;
}

/** Lists the entries of a search: the first place, and vias that are reached on foot without a ride. */
function listEntries({ places }: Planner, query: PlanQuery, times: TimeBase): (Gate & { readonly layer: number })[] {
  const order = inOrder(query, times.sign);
  const entries: (Gate & { readonly layer: number })[] = [];
  let walked = 0;
  for (let layer = 0; layer < order.places.length - 1; layer++) {
    walked += order.stays[layer]!;
    for (const gate of listGates(places, order.places[layer]!, query.walkSpeedKmh, times)) {
      entries.push({ ...gate, seconds: gate.seconds + walked, layer });
    }
    const stretch = order.stretches[layer] ?? null;
    if (stretch === null) break;
    walked += walkSeconds(stretch, query.walkSpeedKmh);
  }
  return entries;
}
