import type { Trip } from '../../contract/definitions.ts';
import type { Walker } from '../planner/change-seconds.ts';
import { joinRides } from './join-rides.ts';
import type { TripsContext } from './plan-trips.ts';
import { presentTrip } from './present-trip.ts';
import { rememberPaths } from './present-walk.ts';
import type { DatedRide } from './run.ts';
import { layTimeline } from './timeline.ts';

/** Who says nothing of how he walks: the defaults of a request. */
export const usualWalker: Walker = { walkSpeedKmh: 4.7, maxWalkMeters: 1500, minTransferSeconds: 0, wheelchair: false };

/**
 * The trip that some rides make, whatever became of it: a change that realtime breaks has the risk `missed`, a vehicle
 * that does not come is told in the cancellation of its leg.
 * @param rides one at least, in travel order
 */
export function presentLegs(
  { published, references, moment, walks }: Pick<TripsContext, 'published' | 'references' | 'moment' | 'walks'>,
  rides: readonly DatedRide[],
  walker: Walker = usualWalker,
): Promise<Trip> {
  const timeline = layTimeline(published, joinRides(published, rides, walker), moment);
  const paths = rememberPaths(walks, walker.wheelchair ? 'wheelchair' : 'foot');
  return presentTrip({ published, references, places: [], paths, wheelchair: walker.wheelchair }, timeline);
}
