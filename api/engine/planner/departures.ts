import type { TimetableTables } from '../../../pipeline/snapshots/contract.ts';
import { createLaneView, findCaught, getEnterTime, openLane } from './lane-view.ts';
import type { ChangePlaces } from './places.ts';
import type { SearchTask } from './search.ts';

/**
 * Every dated trip that is entered at a change place at a signed time in `[from, to)`, in no order.
 * @param take gets the time, the lane, and at which of its calls
 */
export function forEachDeparture(
  tables: TimetableTables,
  places: ChangePlaces,
  task: SearchTask,
  place: number,
  { from, to }: { readonly from: number; readonly to: number },
  take: (time: number, lane: number, position: number) => void,
): void {
  const { stops, stopCalls, patterns, routes } = tables;
  const { side, lanes, live, liveSide, products } = task;
  const view = createLaneView();
  const takeLane = (lane: number, position: number) => {
    openLane(view, tables, task, lane);
    for (let i = findCaught(view, position, from, view.count); i < view.count; i++) {
      const time = getEnterTime(view, i, position);
      if (time >= to) return;
      take(time, lane, position);
    }
  };
  const isWanted = (product: number) => products === null || (products & (1 << product)) !== 0;
  const stop = places.stopOf(place);
  const first = stops.firstStopCall[stop]!;
  for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
    const pattern = stopCalls.pattern[i]!;
    const position = stopCalls.position[i]!;
    if (side.enterAt[patterns.firstCall[pattern]! + position] !== place) continue;
    if (!isWanted(routes.product[patterns.route[pattern]!]!)) continue;
    for (let lane = lanes.firstLane[pattern]!; lane >= 0; lane = lanes.nextLane[lane]!) takeLane(lane, position);
    if (!live) continue;
    for (let own = live.firstOwn[pattern]!; own >= 0; own = live.nextOwn[own]!) takeLane(lanes.count + own, position);
  }
  const calls = liveSide?.enterCalls.get(place) ?? [];
  for (let i = 0; i < calls.length; i += 2) {
    const own = live!.ownPattern[calls[i]! - lanes.count]! - patterns.route.length;
    if (isWanted(live!.patternProduct[own]!)) takeLane(calls[i]!, calls[i + 1]!);
  }
}
