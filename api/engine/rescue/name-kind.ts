import type { RescueOption } from '../../contract/definitions.ts';
import { type DatedTrip, getCallStop, getLabel, openTrip } from '../read/dated-trip.ts';
import type { Published } from '../read/realtime.ts';
import type { DatedRide } from '../trips/run.ts';
import type { JudgedLeg } from './judge-trip.ts';
import type { Traveller } from './traveller.ts';

/**
 * What the traveller does in an option: `wait` goes on as planned, `exitEarlier` leaves the planned vehicle earlier or
 * later than planned, `next` takes another vehicle of the planned line from the planned station, `walk` takes no
 * further vehicle and walks. Everything else is `reroute`, such as an on-demand ride all the way.
 * @param rides of the option, the present vehicle included
 * @param isOnFoot whether the option ends with a walk
 */
export function nameKind(
  published: Published,
  { rides, isOnFoot }: { readonly rides: readonly DatedRide[]; readonly isOnFoot: boolean },
  legs: readonly JudgedLeg[],
  { kind, leg }: Exclude<Traveller, { kind: 'arrived' }>,
): RescueOption['kind'] {
  const planned = legs.slice(leg).map(({ ride }) => ride.run.ride);
  const asPlanned = rides.findIndex((ride, i) => !planned[i] || !isSameRide(ride, planned[i]));
  if (isSameRides(rides, planned)) {
    // Who is not there in time may still catch the vehicle at another stop.
    return kind === 'aboard' || rides[0]!.boardPosition === planned[0]!.boardPosition ? 'wait' : 'reroute';
  }
  const [ride, instead] = [rides[asPlanned], planned[asPlanned]];
  if (!ride && isOnFoot) return 'walk';
  if (!ride) return rides.length > 0 ? 'exitEarlier' : 'reroute';
  if (instead && isSameTrip(ride, instead)) return rides.length === asPlanned + 1 && isOnFoot ? 'walk' : 'exitEarlier';
  return instead && isOfLine(published, ride, instead) ? 'next' : 'reroute';
}

/** Whether both are on the same vehicles, left at the same calls. */
export function isSameRides(one: readonly DatedRide[], other: readonly DatedRide[]): boolean {
  return one.length === other.length && one.every((ride, i) => isSameRide(ride, other[i]!));
}

function isSameRide(ride: DatedRide, planned: DatedRide): boolean {
  return isSameTrip(ride, planned) && ride.alightPosition === planned.alightPosition;
}

function isSameTrip(one: DatedTrip, other: DatedTrip): boolean {
  return one.trip === other.trip && one.addedTrip === other.addedTrip && one.day === other.day;
}

/** Whether both are of one line and boarded at one station. */
function isOfLine(published: Published, ride: DatedRide, planned: DatedRide): boolean {
  const { station } = published.timetable.tables.stops;
  const [view, other] = [openTrip(published, ride), openTrip(published, planned)];
  if (view.product !== other.product || getLabel(view) !== getLabel(other)) return false;
  const [stop, plannedStop] = [getCallStop(view, ride.boardPosition), getCallStop(other, planned.boardPosition)];
  return stop >= 0 && plannedStop >= 0 && station[stop] === station[plannedStop];
}
