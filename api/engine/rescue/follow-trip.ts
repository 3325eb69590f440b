import type { LegRef, Place, TripRequest } from '../../contract/definitions.ts';
import type { FollowedTrip } from '../../contract/trip-outlook.ts';
import type { WalkableStop } from '../planner/itinerary.ts';
import { toGate } from '../planner/trace.ts';
import { presentTimestamp } from '../read/present.ts';
import { getStopId } from '../read/stop-ids.ts';
import { isPartOf } from '../read/timetable.ts';
import { listOutlooks } from '../trips/list-outlooks.ts';
import { measureStretches, type RequestedPlace, readPlace, type Walking } from '../trips/places.ts';
import type { TripsContext } from '../trips/plan-trips.ts';
import { joinRides, usualWalker } from '../trips/present-legs.ts';
import { presentTrip } from '../trips/present-trip.ts';
import { keepFastest, reachByVehicle } from '../trips/reach-by-vehicle.ts';
import { getAlighting, getBoarding } from '../trips/run.ts';
import { readModes, type StreetModes } from '../trips/street-modes.ts';
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
  readonly modes?: Pick<TripRequest, 'access' | 'egress' | 'bikeOnBoard'>;
}

/**
 * A trip as it is now, and whether it still works out: a lost transfer and a cancelled vehicle stay in it. The ways to
 * the first vehicle and from the last one are shown where they are within the usual range.
 * @throws ApiProblem `unknown_journey`, `journey_expired`, `unknown_stop`, `mode_unavailable`, `invalid_body`, with the
 * JSON Pointer of the member
 */
export async function followTrip(context: TripsContext, body: FollowRequest): Promise<FollowedTrip> {
  const { published, references, instant, walks } = context;
  const places = [
    readPlace(published.timetable, body.from, '/from'),
    readPlace(published.timetable, body.to, '/to'),
  ] as const;
  const modes = readModes(body.modes ?? {}, walks?.vehicles ?? null);
  const { rides } = readLegs(published, references, body.legs, instant);
  const { state, atLeg, legs } = judgeTrip(published, rides, instant);
  const [access, egress] = await Promise.all([
    findGate(context, places, getBoarding(legs[0]!.ride.run).stop, 'access', modes),
    findGate(context, places, getAlighting(legs.at(-1)!.ride.run).stop, 'egress', modes),
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

/** The access or egress leg of the trip; none if the stop belongs to the place. */
async function findGate(
  context: TripsContext,
  places: readonly [from: RequestedPlace, to: RequestedPlace],
  stop: number,
  end: 'access' | 'egress',
  modes: StreetModes,
): Promise<PlannedWalk[]> {
  const { timetable } = context.published;
  const isArriving = end === 'egress';
  const place = isArriving ? 1 : 0;
  const requested = places[place];
  // A stop outside of the timetable has no known location.
  if (stop < 0 || (requested.stop >= 0 && isPartOf(timetable.tables, stop, requested.stop))) return [];
  const [walked, ridden] = await Promise.all([
    modes[end]?.onFoot === false ? [] : findWalk(context, requested, stop, isArriving),
    findRide(context, requested, stop, end, modes),
  ]);
  const [way] = keepFastest([...walked, ...ridden], usualWalker.walkSpeedKmh);
  return way ? [toGate(usualWalker, { ...way, place, isArriving })] : [];
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

async function findRide(
  { places }: TripsContext,
  { point }: RequestedPlace,
  stop: number,
  end: 'access' | 'egress',
  modes: StreetModes,
): Promise<WalkableStop[]> {
  const { streets, [end]: endModes } = modes;
  if (streets === null || endModes === null || point === null) return [];
  const ways = await reachByVehicle(places, { point, end, members: [] }, endModes, streets);
  return ways.filter((way) => way.stop === stop);
}
