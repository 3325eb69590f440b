import type { DepartureScope } from './departures.ts';
import { NEVER } from './int-list.ts';
import {
  findEarliestTrip,
  forEachRoute,
  getEnterTime,
  getLeaveTime,
  getTrip,
  openRoute,
  type RouteView,
} from './route-view.ts';
import { barsTrips, isRouteWanted, isTripBarred, type Search, type SearchTask } from './search.ts';
import { findEgressEnd, findGateEnd } from './timed-gates.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

/** Where a traveller is ready to board, and from when on. */
interface Ready {
  readonly place: number;
  readonly time: number;
}

/** The ride that seems to lead to the end earliest: by its time here and the lower bound of the rest. */
interface NextRide {
  estimate: number;
  route: number;
  position: number;
  index: number;
}

/**
 * Finds an upper bound of the earliest end by a greedy search: after each ride and each transfer it continues with the
 * option that the lower bounds of the rest rank first. Where service is frequent, the bound is close to the earliest
 * end, so a search needs no guessed horizon. Not for queries with vias.
 * @param time signed begin
 * @returns `NEVER` if it has not found the end
 */
export function findSureEnd(
  search: Search,
  task: SearchTask,
  entries: DepartureScope['entries'],
  time: number,
): number {
  let from: Ready[] = entries
    .map((entry) => ({ place: entry.place, time: findGateEnd(entry, time) }))
    .filter((ready) => ready.time < NEVER);
  for (let left = task.maxRounds; left > 0; left--) {
    const next = chooseRide(search, task, from, left);
    if (next.route < 0) return NEVER;
    const alighting = chooseAlighting(search, task, next, left - 1);
    if (alighting === null) return NEVER;
    const egress = task.egress[alighting.place]!;
    if (egress >= 0 && task.bounds.leftSeconds[alighting.place]! >= egress) {
      return findEgressEnd(task.timedEgress, alighting.place, alighting.time, egress);
    }
    from = listTransfers(task, alighting);
  }
  return NEVER;
}

function chooseRide(search: Search, task: SearchTask, from: readonly Ready[], left: number): NextRide {
  const next: NextRide = { estimate: NEVER, route: -1, position: -1, index: -1 };
  for (const ready of from) {
    if (task.isBlocked?.[ready.place] !== 1) compareRides(search, task, ready, left, next);
  }
  return next;
}

function compareRides(search: Search, task: SearchTask, { place, time }: Ready, left: number, next: NextRide): void {
  const { patterns } = search.timetable.tables;
  const { bounds, direction } = task;
  const { starts, patterns: ofPattern, calls } = direction.entering;
  for (let i = starts[place]!; i < starts[place + 1]!; i++) {
    const pattern = ofPattern[i]!;
    const call = calls[i]!;
    if (bounds.callRides[call]! > left) continue;
    if (time + bounds.callSeconds[call]! >= next.estimate) continue;
    if (!isRouteWanted(task, patterns.route[pattern]!)) continue;
    const position = call - patterns.firstCall[pattern]!;
    forEachRoute(task, pattern, (route) => {
      const view = openRoute(search.markView, search.timetable.tables, task, route);
      const index = findTrip(search, task, view, position, time);
      if (index === view.count) return;
      const estimate = getEnterTime(view, index, position) + bounds.callSeconds[call]!;
      if (estimate < next.estimate) Object.assign(next, { estimate, route, position, index });
    });
  }
}

function findTrip(search: Search, task: SearchTask, view: RouteView, position: number, time: number): number {
  let index = findEarliestTrip(view, position, time, view.count);
  if (!barsTrips(task)) return index;
  // Not the task of the search, which is that of its last reset.
  const { timetable } = search;
  while (index < view.count && isTripBarred({ task, timetable }, getTrip(view, task.live, index))) index++;
  return index;
}

/** @param left number of rides after this one */
function chooseAlighting(search: Search, task: SearchTask, ride: NextRide, left: number): Ready | null {
  const view = openRoute(search.markView, search.timetable.tables, task, ride.route);
  const { leftSeconds, leftRides } = task.bounds;
  let best: Ready | null = null;
  let least: number = NEVER;
  const { sign, callCount, firstCall, leaveAt } = view;
  for (let position = ride.position + sign; position >= 0 && position < callCount; position += sign) {
    const place = leaveAt[firstCall + position]!;
    if (place < 0 || task.isBlocked?.[place] === 1 || leftRides[place]! > left) continue;
    const time = getLeaveTime(view, ride.index, position);
    if (time + leftSeconds[place]! >= least) continue;
    least = time + leftSeconds[place]!;
    best = { place, time };
  }
  return best;
}

function listTransfers({ direction, transferSeconds }: SearchTask, { place, time }: Ready): Ready[] {
  const { transferStarts, transferOrder, transferTo } = direction;
  const to: Ready[] = [];
  for (let i = transferStarts[place]!; i < transferStarts[place + 1]!; i++) {
    const change = transferOrder === null ? i : transferOrder[i]!;
    const seconds = transferSeconds[change]!;
    if (seconds !== NO_TRANSFER) to.push({ place: transferTo[change]!, time: time + seconds });
  }
  return to;
}
