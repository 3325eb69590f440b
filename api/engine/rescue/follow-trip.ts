import type { LegRef, Place, TripEgress, TripRequest } from '../../contract/definitions.ts';
import type { FollowedTrip } from '../../contract/trip-outlook.ts';
import type { WalkableStop } from '../planner/itinerary.ts';
import { toGate } from '../planner/trace.ts';
import { usualWalker } from '../planner/transfer-seconds.ts';
import type { JourneyCall } from '../read/calls.ts';
import { presentTimestamp } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import { isPartOf } from '../read/timetable.ts';
import { openSharing, type Sharing } from '../sharing/open-sharing.ts';
import { chooseWay } from '../trips/choose-way.ts';
import { listOutlooks } from '../trips/list-outlooks.ts';
import { reachByShared } from '../trips/open-ends.ts';
import { measureStretches, type RequestedPlace, readPlace, type Walking } from '../trips/places.ts';
import type { TripsContext } from '../trips/plan-trips.ts';
import { joinRides } from '../trips/present-legs.ts';
import { presentTrip } from '../trips/present-trip.ts';
import { keepFastest, reachByVehicle } from '../trips/reach-by-vehicle.ts';
import { openOnDemandRequest, reachOnDemand } from '../trips/reach-on-demand.ts';
import { getAlighting, getBoarding } from '../trips/run.ts';
import { openRides, readModes, type StreetModes } from '../trips/street-modes.ts';
import { computeTimeline, type PlannedWalk } from '../trips/timeline.ts';
import { rememberPaths } from '../trips/walk-paths.ts';
import { judgeTrip } from './judge-trip.ts';
import { readLegs } from './read-legs.ts';

/** A trip by its rides, and the places that it leads from and to. */
export interface FollowRequest {
  readonly legs: readonly LegRef[];
  readonly from: Place;
  readonly to: Place;
  /** How the trip begins and ends; absent if on foot. */
  readonly modes?: FollowModes;
}

type FollowModes = Pick<TripRequest, 'access' | 'egress' | 'bikeOnBoard'>;

/**
 * A trip as it is now, and whether it still works out: a lost transfer and a cancelled vehicle stay in it. The ways to
 * the first vehicle and from the last one are shown where they are within the usual range: on foot and as requested, else
 * on demand, even if it can no longer be booked.
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `mode_unavailable`, `invalid_body`, with the
 * JSON Pointer of the member
 */
export async function followTrip(context: TripsContext, body: FollowRequest): Promise<FollowedTrip> {
  const { published, references, instant, walks } = context;
  const places = [
    readPlace(published.timetable, body.from, '/from'),
    readPlace(published.timetable, body.to, '/to'),
  ] as const;
  const sharing = openSharing(published.realtime);
  const modes = readModes(keepAvailable(body.modes ?? {}, sharing), openRides(walks), sharing);
  const { rides } = readLegs(published, references, body.legs, instant);
  const { state, atLeg, legs } = judgeTrip(published, rides, instant);
  const [access, egress] = await Promise.all([
    findGate(context, places, getBoarding(legs[0]!.ride.run), 'access', modes),
    findGate(context, places, getAlighting(legs.at(-1)!.ride.run), 'egress', modes),
  ]);
  const plan = joinRides(published, rides, usualWalker);
  const timeline = computeTimeline(published, { ...plan, parts: [...access, ...plan.parts, ...egress] }, instant);
  const paths = rememberPaths(walks, 'foot');
  return {
    generatedAt: presentTimestamp(instant),
    state,
    ...(atLeg === null ? {} : { atLeg }),
    trip: await presentTrip(
      { published, references, places, paths, wheelchair: false, instant, withBike: modes.bikeOnBoard },
      timeline,
    ),
    outlooks: listOutlooks(timeline),
  };
}

/**
 * A trip with a shared bicycle is followed without its ways by bicycle while no sharing system is known, such as just
 * after a new timetable.
 */
function keepAvailable(modes: FollowModes, sharing: Sharing | null): FollowModes {
  if (sharing !== null) return modes;
  const keep = <End extends TripEgress>(end: End): End => ({
    ...end,
    modes: end.modes.filter((mode) => mode !== 'sharedBike'),
  });
  const { access, egress } = modes;
  return { ...modes, ...(access ? { access: keep(access) } : {}), ...(egress ? { egress: keep(egress) } : {}) };
}

/** The access or egress leg of the trip; none if the stop belongs to the place. */
async function findGate(
  context: TripsContext,
  places: readonly [from: RequestedPlace, to: RequestedPlace],
  call: JourneyCall,
  end: 'access' | 'egress',
  modes: StreetModes,
): Promise<PlannedWalk[]> {
  const { timetable } = context.published;
  const { stop } = call;
  const isArriving = end === 'egress';
  const place = isArriving ? 1 : 0;
  const requested = places[place];
  // A stop outside of the timetable has no known location.
  if (stop < 0 || (requested.stop >= 0 && isPartOf(timetable.tables, stop, requested.stop))) return [];
  const [walked, ridden] = await Promise.all([
    modes[end]?.onFoot === false ? [] : findWalk(context, requested, stop, isArriving),
    findRides(context, requested, stop, end, modes),
  ]);
  const [usual] = keepFastest([...walked, ...ridden], usualWalker.walkSpeedKmh);
  const way = usual ?? (await findOnDemand(context, requested, call, end, modes));
  return way ? [toGate(usualWalker, { ...way, stop, place, isArriving })] : [];
}

async function findWalk(
  { published: { timetable }, walks }: TripsContext,
  requested: RequestedPlace,
  stop: number,
  isArriving: boolean,
): Promise<WalkableStop[]> {
  const walking: Walking = { profile: 'foot', maxMeters: usualWalker.maxWalkMeters, walks };
  const end = readPlace(timetable, { stopId: getStopId(timetable, stop) }, '/legs');
  const [meters = null] = await measureStretches(isArriving ? [end, requested] : [requested, end], walking);
  return meters === null ? [] : [{ stop, meters }];
}

async function findRides(
  { places, walks, instant }: TripsContext,
  { point }: RequestedPlace,
  stop: number,
  end: 'access' | 'egress',
  modes: StreetModes,
): Promise<WalkableStop[]> {
  const { streets, [end]: endModes } = modes;
  if (streets === null || endModes === null || point === null) return [];
  const tripEnd = { point, end, members: [], onlyStop: stop };
  const { walkSpeedKmh, maxWalkMeters: maxMeters } = usualWalker;
  const travel = { walking: { profile: 'foot', maxMeters, walks }, walkSpeedKmh, modes, instant } as const;
  const ways = await Promise.all([
    reachByVehicle(places, tripEnd, endModes, streets),
    reachByShared(places, tripEnd, endModes, streets, travel),
  ]);
  return ways.flat().filter((way) => way.stop === stop);
}

/** The on-demand ride of the planned times; the traveller may have booked it before its deadline. */
async function findOnDemand(
  { places, walks }: TripsContext,
  place: RequestedPlace,
  { stop, arrival, departure }: JourneyCall,
  end: 'access' | 'egress',
  { bikeOnBoard }: StreetModes,
) {
  const isArriving = end === 'egress';
  const time = (isArriving ? arrival : departure).scheduled;
  const request = openOnDemandRequest(places, { ...usualWalker, bikeOnBoard }, walks, { now: null, around: time });
  const reach = await reachOnDemand(request, end, place, [], stop);
  const { walkSpeedKmh } = usualWalker;
  return chooseWay({ members: [], reach }, stop, { isArriving, time, walkSpeedKmh });
}
