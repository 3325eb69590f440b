import type { Timetable } from '../read/timetable.ts';
import { createLabels, type LabelOrigins, type Labels, REACHED, resetLabels, rowOf, setReady } from './labels.ts';
import type { LowerBounds } from './lower-bounds.ts';
import { createPassages, type Passage, type Passages, resetPassages } from './passages.ts';
import { createRiddenTrips, type RiddenTrips, resetRiddenTrips } from './ridden-trips.ts';
import { createRouteQueue, type RouteQueue, resetRouteQueue } from './route-queue.ts';
import { createRouteView, type RouteSource, type RouteView } from './route-view.ts';
import type { TimedEgress } from './timed-gates.ts';
import type { WantedRoutes } from './wanted-routes.ts';

/** The parameters of one query, the same for all of its departures. */
export interface SearchTask extends RouteSource {
  /** Seconds by row of `transfers`; `NO_TRANSFER` if the transfer cannot be made. */
  readonly transferSeconds: Int32Array;
  /** Maximum number of rides. */
  readonly maxRounds: number;
  /** By the products, lines and operators of the query; null for all. */
  readonly wanted: WantedRoutes | null;
  readonly isWheelchair: boolean;
  /**
   * By transfer place: 1 if the traveller neither boards nor alights there, because of a wheelchair or because the query
   * avoids the stop; `null`: nowhere.
   */
  readonly isBlocked: Uint8Array | null;
  /** Whether the traveller takes a bicycle along. */
  readonly withBike: boolean;
  /** By layer, except for the last: the via to pass. */
  readonly vias: readonly Passage[];
  /** By transfer place: seconds on foot to the end of the search, -1 if it is too far. */
  readonly egress: Int32Array;
  /** On-demand rides to the end of the search, if there are any. `egress` has the minimum seconds by place. */
  readonly timedEgress: TimedEgress | undefined;
  /** Lower bounds of the remaining time in the last layer. */
  readonly bounds: LowerBounds;
  /** Returns true once the query has exceeded its time limit; called at intervals. */
  readonly isSpent: () => boolean;
}

/** The routes and transfers that a query permits, without the bounds of a search. */
export type RideTask = Omit<SearchTask, 'bounds'>;

/**
 * Returns a task with these members. V8 gives each object that is made by spreading others a separate hidden class, with
 * which the inner loops of a search would look up every member by name. All tasks from here have the same one.
 * @param bounds `null`: only single rides are followed
 */
export function createTask<Bounds extends LowerBounds | null>(
  members: RideTask,
  bounds: Bounds,
): RideTask & { readonly bounds: Bounds } {
  const { direction, raptorRoutes, live, liveDirection, runningTimes, gaps, transferSeconds, maxRounds } = members;
  const { wanted, isWheelchair, isBlocked, withBike, vias, egress, timedEgress, isSpent } = members;
  return {
    direction,
    raptorRoutes,
    live,
    liveDirection,
    runningTimes,
    gaps,
    transferSeconds,
    maxRounds,
    wanted,
    isWheelchair,
    isBlocked,
    withBike,
    vias,
    egress,
    timedEgress,
    bounds,
    isSpent,
  };
}

/** Returns the same task with another maximum number of rides. */
export function limitRides(task: SearchTask, maxRounds: number): SearchTask {
  return createTask({ ...task, maxRounds }, task.bounds);
}

/** Number of scanned routes between two checks of the time limit. */
export const CHECK_EVERY_SCANS = 512;

/** Thrown when a query exceeds its time limit. */
export class PlanTimeout extends Error {}

/**
 * The arrays of a search by RAPTOR. Round k finds what can be reached with k rides. Labels persist from one departure
 * to the next earlier one, so that only improvements are searched (rRAPTOR). A route is that of the paper, see
 * `RaptorRoutes`; its stops are transfer places here. The network has one layer more than the query has vias; passing a
 * via leads to the next layer.
 * @see Delling, Pajor, Werneck, "Round-Based Public Transit Routing", doi 10.1287/trsc.2014.0534, Algorithm 1
 *
 * Start a search with `resetSearch`, add entries with `enterPlace` or `enterRoute`, and run it with `runRounds`.
 */
export interface Search {
  readonly timetable: Timetable;
  readonly patternCount: number;
  readonly labels: Labels;
  readonly segments: Segments;
  readonly passages: Passages;
  task: SearchTask;
  /** Routes to scan in this round and layer: Q of the paper. */
  readonly queue: RouteQueue;
  /** By layer: route and call of each departure, alternating. */
  departures: number[][];
  /**
   * By layer: trips on which the traveller passed the previous via, as route, index in it, call and segment,
   * alternating.
   */
  aboard: number[][];
  readonly ridden: RiddenTrips;
  readonly markView: RouteView;
  /** A continuation is scanned while the route of the previous trip is still open: one scan per depth. */
  readonly scans: RouteScan[];
  /** The time limit is checked when this is below 0. */
  scansUntilCheck: number;
  readonly work: SearchWork;
}

/** What searches have done since the planner was opened: a regression shows here without a clock. */
export interface SearchWork {
  /** Runs of all rounds, one per begin and one per look for the earliest end. */
  runs: number;
  /** Routes scanned. */
  routes: number;
  /** Arrivals set at a place. */
  labels: number;
}

/** A route during its scan, and the current dated trip: r and t of the paper. */
export interface RouteScan {
  readonly view: RouteView;
  layer: number;
  round: number;
  /** Row of the first label of the layer and round. */
  row: number;
  /** Arrivals at this signed time or later cannot improve the end. */
  bound: number;
  /** Index of the current dated trip in the route; `view.count` before one is boarded. */
  current: number;
  /** Array of its times, the row of its first call, and the instant that the times are relative to. */
  leaveTimes: Int32Array;
  leaveRow: number;
  begin: number;
  /** The recorded segment of the ride; -1 until it improves a label. */
  segment: number;
  /** The call where it was boarded, and the call where the via of the layer was passed on board, -1 if none. */
  enterPosition: number;
  passedAt: number;
}

/** @param placeCount number of transfer places, @param origins see `createLabels` */
export function createSearch(timetable: Timetable, placeCount: number, origins: LabelOrigins): Search {
  return {
    timetable,
    patternCount: timetable.tables.patterns.route.length,
    labels: createLabels(placeCount, origins),
    segments: createSegments(),
    passages: createPassages(),
    // `resetSearch` sets it before it is read.
    task: undefined as unknown as SearchTask,
    queue: createRouteQueue(),
    departures: [[]],
    aboard: [[]],
    ridden: createRiddenTrips(),
    markView: createRouteView(),
    scans: [],
    scansUntilCheck: CHECK_EVERY_SCANS,
    work: { runs: 0, routes: 0, labels: 0 },
  };
}

/** Clears all labels. @param latest arrivals after this signed time are ignored */
export function resetSearch(search: Search, task: SearchTask, latest: number): void {
  const { labels, timetable } = search;
  const layerCount = task.vias.length + 1;
  search.task = task;
  resetRouteQueue(search.queue, task.direction.sign, task.raptorRoutes.count + (task.live?.extraPattern.length ?? 0));
  resetLabels(labels, layerCount, task.maxRounds, latest);
  labels.bounds = task.bounds;
  resetPassages(search.passages, labels, task.vias, task.isBlocked);
  search.departures = Array.from({ length: layerCount }, () => []);
  search.aboard = Array.from({ length: layerCount }, () => []);
  if (timetable.tables.continuations.fromTrip.length > 0) {
    resetRiddenTrips(search.ridden, layerCount, task.raptorRoutes.trips.length + (task.live?.trips.length ?? 0));
  }
}

/** Starts the search at a place where the traveller may board any departure from a signed time on. */
export function enterPlace({ task, labels }: Search, layer: number, place: number, time: number): void {
  if (isBlockedAt(task, place)) return;
  setReady(labels, layer, 0, place, time, REACHED.access, labels.marked[layer]!);
}

/**
 * Starts the search with the departure of a route at one of its calls, at exactly this signed time, if it can improve
 * the end by the lower bounds.
 */
export function enterRoute(
  search: Search,
  layer: number,
  place: number,
  time: number,
  route: number,
  position: number,
): void {
  const { labels, departures } = search;
  if (!isWorthEntering(search, layer, time, route, position)) return;
  setReady(labels, layer, 0, place, time, REACHED.access, null);
  // A departure that does not improve the label is skipped.
  if (labels.ready[rowOf(labels, layer, 0) + place]! <= time) departures[layer]!.push(route, position);
}

function isWorthEntering(
  { task, labels, timetable, patternCount }: Search,
  layer: number,
  time: number,
  route: number,
  position: number,
): boolean {
  if (layer < labels.layerCount - 1) return true;
  const { raptorRoutes, live, bounds } = task;
  const extra = route - raptorRoutes.count;
  const pattern = extra < 0 ? raptorRoutes.pattern[route]! : live!.extraPattern[extra]!;
  if (pattern >= patternCount) return true;
  const call = timetable.tables.patterns.firstCall[pattern]! + position;
  return time + bounds.callSeconds[call]! < labels.limits[bounds.callRides[call]!]!;
}

/** Whether a departure or a place has been entered since the last run. */
export function hasDepartures({ departures, labels }: Search): boolean {
  return departures.some((list) => list.length > 0) || labels.marked.some((list) => list.length > 0);
}

/** Whether the place is not accessible for the traveller, or avoided by the query. */
export function isBlockedAt({ isBlocked }: SearchTask, place: number): boolean {
  return isBlocked !== null && isBlocked[place] === 1;
}

/** @param route row of `tables.routes` */
export function isRouteWanted({ wanted }: RideTask, route: number): boolean {
  return wanted === null || wanted.routes[route] === 1;
}

/** The same for an extra pattern of realtime. */
export function isExtraWanted({ wanted }: RideTask, extra: number): boolean {
  return wanted === null || wanted.extra[extra] === 1;
}

/** Of `wheelchairAccessible` and `bikesAllowed`. */
const IMPOSSIBLE = 2;

/** Whether some trips may be barred for the traveller. */
export function barsTrips({ isWheelchair, withBike }: RideTask): boolean {
  return isWheelchair || withBike;
}

/**
 * Whether the query is for a wheelchair and the trip is not accessible, or for a bicycle and the trip carries none.
 * @param trip -1: not of the timetable
 */
export function isTripBarred(
  { task, timetable }: { readonly task: RideTask; readonly timetable: Timetable },
  trip: number,
): boolean {
  if (trip < 0) return false;
  const { wheelchairAccessible, bikesAllowed } = timetable.tables.trips;
  return (
    (task.isWheelchair && wheelchairAccessible[trip] === IMPOSSIBLE) ||
    (task.withBike && bikesAllowed[trip] === IMPOSSIBLE)
  );
}

/** Whether the query permits a trip of the timetable, by its route and by itself. */
export function isTripWanted(
  { task, timetable }: { readonly task: RideTask; readonly timetable: Timetable },
  trip: number,
): boolean {
  const { trips, patterns } = timetable.tables;
  return isRouteWanted(task, patterns.route[trips.pattern[trip]!]!) && !isTripBarred({ task, timetable }, trip);
}

/** The rides of a search, from which itineraries are reconstructed. Append-only; cleared for the next departure. */
interface Segments {
  /** @returns its number */
  add(route: number, entry: number, enterPosition: number, before: number, layer: number, round: number): number;
  clear(): void;
  /**
   * Route and dated trip; the call of boarding, and the previous segment if the traveller stayed on board, otherwise
   * -1.
   */
  route(segment: number): number;
  entry(segment: number): number;
  enterPosition(segment: number): number;
  before(segment: number): number;
  /** Layer and round of boarding. */
  layer(segment: number): number;
  round(segment: number): number;
}

const FIELDS = 6;

function createSegments(): Segments {
  let fields = new Int32Array(FIELDS * 1024);
  let used = 0;
  return {
    add(route, entry, enterPosition, before, layer, round) {
      if (used + FIELDS > fields.length) {
        const larger = new Int32Array(fields.length * 2);
        larger.set(fields);
        fields = larger;
      }
      fields[used] = route;
      fields[used + 1] = entry;
      fields[used + 2] = enterPosition;
      fields[used + 3] = before;
      fields[used + 4] = layer;
      fields[used + 5] = round;
      used += FIELDS;
      return used / FIELDS - 1;
    },
    clear() {
      used = 0;
    },
    route: (segment) => fields[segment * FIELDS]!,
    entry: (segment) => fields[segment * FIELDS + 1]!,
    enterPosition: (segment) => fields[segment * FIELDS + 2]!,
    before: (segment) => fields[segment * FIELDS + 3]!,
    layer: (segment) => fields[segment * FIELDS + 4]!,
    round: (segment) => fields[segment * FIELDS + 5]!,
  };
}
