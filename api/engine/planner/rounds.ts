import { GAP_AFTER, GAP_CALL, GAP_FIELDS, GAP_NEXT, GAP_ROUTE } from './departure-gaps.ts';
import { NEVER } from './int-list.ts';
import { rowOf, setReady } from './labels.ts';
import { passOnFoot } from './passages.ts';
import { isQueuedFrom, queueRoute, takeQueued } from './route-queue.ts';
import { findEarliestTrip, forEachRoute, getEnterTime, openRoute } from './route-view.ts';
import { rideAboard, scanRoute } from './scan-route.ts';
import { isExtraWanted, isRouteWanted, type Search } from './search.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';
import { transferWithStay } from './via-stays.ts';

/**
 * Runs all rounds for the entries added since the last run: the main loop of RAPTOR's Algorithm 1. Stops after the
 * round in which no layer has anything to scan.
 */
export function runRounds(search: Search): void {
  const { labels } = search;
  search.work.runs++;
  search.segments.clear();
  labels.isBetter.fill(0);
  for (let round = 1; round <= labels.rounds; round++) {
    labels.stamp++;
    let isIdle = true;
    for (let layer = 0; layer < labels.layerCount; layer++) {
      if (!hasWork(search, layer)) continue;
      isIdle = false;
      runLayer(search, layer, round);
    }
    [labels.marked, labels.markedNext] = [labels.markedNext, labels.marked];
    if (isIdle) break;
  }
  for (const list of labels.marked) list.clear();
  labels.stamp++;
}

function hasWork({ labels, departures, aboard }: Search, layer: number): boolean {
  return labels.marked[layer]!.length + departures[layer]!.length + aboard[layer]!.length > 0;
}

/**
 * Runs one round in one layer: collects routes, scans them, relaxes transfers, and passes the via to the next layer.
 */
function runLayer(search: Search, layer: number, round: number): void {
  const { labels } = search;
  labels.improved.clear();
  queueDepartures(search, layer);
  collectMarkedRoutes(search, layer, round);
  scanQueue(search, layer, round);
  scanAboard(search, layer, round);
  if (round < labels.rounds) relaxTransfers(search, layer, round);
  if (layer === labels.layerCount - 1) return;
  passOnFoot(search.passages, labels, layer, round);
  if (round < labels.rounds) transferWithStay(search, layer, round);
}

function queueDepartures({ departures, queue }: Search, layer: number): void {
  const list = departures[layer]!;
  for (let i = 0; i < list.length; i += 2) queueRoute(queue, list[i]!, list[i + 1]!);
  list.length = 0;
}

/** "Traverse each route" of Algorithm 1. */
function scanQueue(search: Search, layer: number, round: number): void {
  const { queue } = search;
  for (let i = 0; i < queue.length; i++) {
    const route = queue.raptorRoutes[i]!;
    scanRoute(search, layer, round, route, takeQueued(queue, route));
  }
  queue.length = 0;
}

/** Continues the trips on which travellers passed the via of the previous layer. */
function scanAboard(search: Search, layer: number, round: number): void {
  const list = search.aboard[layer]!;
  for (let i = 0; i < list.length; i += 4) {
    rideAboard(search, layer, round, list[i]!, list[i + 2]!, list[i + 1]!, list[i + 3]!, 0);
  }
  list.length = 0;
}

/** Relaxes the transfers from all places improved in this round: "look at foot-paths" of Algorithm 1. */
function relaxTransfers({ task, labels }: Search, layer: number, round: number): void {
  const { direction, isBlocked } = task;
  const { transferStarts, transferOrder } = direction;
  const transfers = direction.listTransfers(task.transferSeconds);
  const { reach, ready } = labels;
  const row = rowOf(labels, layer, round);
  const list = labels.markedNext[layer]!;
  const { items: improved, length } = labels.improved;
  for (let at = 0; at < length; at++) {
    const from = improved[at]!;
    const time = reach[row + from]!;
    for (let i = transferStarts[from]!; i < transferStarts[from + 1]!; i++) {
      const place = transfers[2 * i]!;
      const seconds = transfers[2 * i + 1]!;
      if (seconds === NO_TRANSFER || time + seconds >= ready[row + place]!) continue;
      if (isBlocked !== null && isBlocked[place] === 1) continue;
      const transfer = transferOrder === null ? i : transferOrder[i]!;
      setReady(labels, layer, round, place, time + seconds, transfer, list);
    }
  }
}

/**
 * Collects the routes that can be entered at marked places, each with its first such call, and unmarks the places:
 * "accumulate routes serving marked stops from previous round" of RAPTOR's Algorithm 1. A place is marked when boarding
 * became possible earlier: `time` is the new time, `before` the previous one.
 */
function collectMarkedRoutes(search: Search, layer: number, round: number): void {
  const { task, labels } = search;
  const marked = labels.marked[layer]!;
  if (marked.length === 0) return;
  const { patterns } = search.timetable.tables;
  const { raptorRoutes } = task;
  const { calls: gaps } = task.gaps;
  const { starts } = task.direction.entering;
  const { callRides, callSeconds } = task.bounds;
  const { limits, ends } = labels;
  const extraCalls = task.liveDirection?.enterCalls;
  const isLast = layer === labels.layerCount - 1;
  const ready = rowOf(labels, layer, round - 1);
  for (let m = 0; m < marked.length; m += 2) {
    const [place, before] = [marked.items[m]!, marked.items[m + 1]!];
    const time = labels.ready[ready + place]!;
    for (let i = GAP_FIELDS * starts[place]!; i < GAP_FIELDS * starts[place + 1]!; i += GAP_FIELDS) {
      if (gaps[i + GAP_AFTER]! < time && before <= gaps[i + GAP_NEXT]!) continue;
      const only = gaps[i + GAP_ROUTE]!;
      const isOnly = only >= 0;
      const call = gaps[i + GAP_CALL]!;
      const pattern = isOnly ? raptorRoutes.pattern[only]! : ~only;
      const position = call - patterns.firstCall[pattern]!;
      // Most marked places of a route follow one another.
      if (isOnly && isQueuedFrom(search.queue, only, position)) continue;
      // Prunes with the lower bounds: most patterns lead away from the end of the search.
      const latest = isLast ? limits[round - 1 + callRides[call]!]! - callSeconds[call]! : NEVER;
      if (time >= latest || !isRouteWanted(task, patterns.route[pattern]!)) continue;
      const enteredBefore = Math.min(before, latest);
      const bound = Math.min(enteredBefore, ends[round]!);
      const known = gaps[i + GAP_AFTER]!;
      // The last trip before the gap can be boarded early enough, whichever is the first one.
      const isEarly = time <= known && known < bound;
      if (!isEarly) {
        const enters = isOnly
          ? findNextEntry(search, i, only, position, time)
          : findNextOfAll(search, i, pattern, position, time);
        if (enters >= bound) continue;
      }
      if (isOnly) queueRoute(search.queue, only, position);
      else forEachRoute(task, pattern, (route) => queueIfEarlier(search, route, position, round, time, enteredBefore));
    }
    const calls = extraCalls?.get(place);
    if (calls !== undefined) collectExtraPatterns(search, calls, round, time, before);
  }
  marked.clear();
}

/** Collects the routes of extra patterns. @param calls route and position, alternating */
function collectExtraPatterns(
  search: Search,
  calls: readonly number[],
  round: number,
  time: number,
  before: number,
): void {
  const { task, patternCount } = search;
  const { extraPattern } = task.live!;
  for (let i = 0; i < calls.length; i += 2) {
    const extra = extraPattern[calls[i]! - task.raptorRoutes.count]! - patternCount;
    if (!isExtraWanted(task, extra)) continue;
    queueIfEarlier(search, calls[i]!, calls[i + 1]!, round, time, before);
  }
}

/**
 * Returns the signed time of the first trip that can be entered at a stop call at `time` or later; `NEVER` if there is
 * none. Remembers the gap before it. @param i of the call in `DepartureGaps`, @param route the only one of the pattern
 */
function findNextEntry(
  { task, timetable, markView }: Search,
  i: number,
  route: number,
  position: number,
  time: number,
): number {
  const { calls } = task.gaps;
  if (calls[i + GAP_AFTER]! < time && time <= calls[i + GAP_NEXT]!) return calls[i + GAP_NEXT]!;
  openRoute(markView, timetable.tables, task, route);
  const { count } = markView;
  const earliest = findEarliestTrip(markView, position, time, count);
  const next = earliest === count ? NEVER : getEnterTime(markView, earliest, position);
  calls[i + GAP_AFTER] = earliest === 0 ? -NEVER : getEnterTime(markView, earliest - 1, position);
  calls[i + GAP_NEXT] = next;
  return next;
}

/** The same for a pattern with several routes, scheduled or live. */
function findNextOfAll(search: Search, i: number, pattern: number, position: number, time: number): number {
  const { task, timetable, markView } = search;
  const { calls } = task.gaps;
  if (calls[i + GAP_AFTER]! < time && time <= calls[i + GAP_NEXT]!) return calls[i + GAP_NEXT]!;
  let after: number = -NEVER;
  let next: number = NEVER;
  forEachRoute(task, pattern, (route) => {
    openRoute(markView, timetable.tables, task, route);
    const { count } = markView;
    const earliest = findEarliestTrip(markView, position, time, count);
    if (earliest > 0) after = Math.max(after, getEnterTime(markView, earliest - 1, position));
    if (earliest < count) next = Math.min(next, getEnterTime(markView, earliest, position));
  });
  calls[i + GAP_AFTER] = after;
  calls[i + GAP_NEXT] = next;
  return next;
}

/** Queues a route if an earlier trip can be boarded than before; later ones were ridden in earlier rounds. */
function queueIfEarlier(
  search: Search,
  route: number,
  position: number,
  round: number,
  time: number,
  before: number,
): void {
  const { queue, markView } = search;
  if (isQueuedFrom(queue, route, position)) return;
  openRoute(markView, search.timetable.tables, search.task, route);
  const earliest = findEarliestTrip(markView, position, time, markView.count);
  if (earliest === markView.count) return;
  const enters = getEnterTime(markView, earliest, position);
  if (enters < before && enters < search.labels.ends[round]!) queueRoute(queue, route, position);
}
