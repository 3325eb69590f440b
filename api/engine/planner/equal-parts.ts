import type { Entering, EqualItinerary, EqualSearch, Leaving } from './equal-labels.ts';
import type { Ride } from './itinerary.ts';
import { createRouteView, openRoute } from './route-view.ts';
import type { RideScope } from './scope.ts';
import { toRide, type Untimed } from './trace.ts';

/** Returns the parts in travel order; walks have no times yet. */
export function toParts({ scope }: EqualSearch, { last, walks }: EqualItinerary): (Ride | Untimed)[] {
  const isAhead = scope.task.direction.sign > 0;
  const parts = [...listParts(scope, last, false), ...walks];
  return isAhead ? parts : parts.reverse();
}

/** @param isJoined whether the traveller stays on board for the next ride in the direction of the search */
function listParts(scope: RideScope, { entering, position }: Leaving, isJoined: boolean): (Ride | Untimed)[] {
  const { approach } = entering;
  const isStaying = approach.kind === 'staying';
  const before = approach.after === null ? [] : listParts(scope, approach.after, isStaying);
  const walks = isStaying ? [] : approach.walks;
  // The later ride of two carries `isStaying`.
  const isMarkedStaying = scope.task.direction.sign > 0 ? isStaying : isJoined;
  return [...before, ...walks, toDatedRide(scope, entering, position, isMarkedStaying)];
}

function toDatedRide(scope: RideScope, { route, index, position }: Entering, left: number, isStaying: boolean): Ride {
  const { origin, sign } = openRoute(createRouteView(), scope.tables, scope.task, route);
  return toRide(scope, { route, entry: origin + sign * index, entered: position, left }, isStaying);
}
