import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { PlanPlace, PlanQuery, WalkableStop } from '../planner/itinerary.ts';
import { usualWalker } from '../planner/transfer-seconds.ts';
import { findLastBegin, findNextBegin, findOpenTime } from '../read/open-times.ts';
import { chooseWay } from '../trips/choose-way.ts';
import { measureStretches, openPlace, type RequestedPlace, type Walking } from '../trips/places.ts';
import type { TripsContext } from '../trips/plan-trips.ts';
import { keepBookable, openOnDemandRequest, reachOnDemand } from '../trips/reach-on-demand.ts';
import { getAlighting, getBoarding } from '../trips/run.ts';
import type { Judgement } from './judge-trip.ts';
import type { Traveller } from './traveller.ts';

/** Rides of an option after the present vehicle, where no more are left of the plan. */
const MIN_RIDES = 3;

/** From where to where a rescue is searched, and when. */
export interface RescueEnds {
  readonly judged: Judgement;
  readonly traveller: Exclude<Traveller, { kind: 'arrived' }>;
  readonly from: RequestedPlace;
  readonly to: RequestedPlace;
  readonly now: Instant;
}

/** The query of a rescue, and its places for the plan itself. */
export interface RescueQuery {
  readonly query: PlanQuery;
  /** With all on-demand rides next to the planned vehicles: the traveller may have booked them before the deadline. */
  readonly planned: Pick<PlanQuery, 'from' | 'to'>;
}

/**
 * Opens the query of a rescue: stops are reached on foot, and where that is too far, on demand. On-demand rides must
 * still be bookable, except the one of the plan at its planned time.
 */
export async function openRescueQuery(context: TripsContext, ends: RescueEnds): Promise<RescueQuery> {
  const { places, walks } = context;
  const { from, to, now, judged, traveller } = ends;
  const walking: Walking = { profile: 'foot', maxMeters: usualWalker.maxWalkMeters, walks };
  const [opened, stretchMeters] = await Promise.all([
    Promise.all([from, to].map((place) => openPlace(places, place, walking))),
    measureStretches([from, to], walking),
  ]);
  const [first, last] = [judged.legs[traveller.leg]!.ride, judged.legs.at(-1)!.ride];
  const [boarded, left] = [
    { stop: getBoarding(first.run).stop, time: first.begin.scheduled },
    { stop: getAlighting(last.run).stop, time: last.end.scheduled },
  ];
  const [access, egress] = await Promise.all([
    // Who is on board has reached the vehicle.
    traveller.kind === 'aboard' ? keepWalks(opened[0]!) : addRides(context, ends, 'access', opened[0]!, boarded),
    addRides(context, ends, 'egress', opened[1]!, left),
  ]);
  const query: PlanQuery = {
    ...usualWalker,
    from: access.searched,
    to: egress.searched,
    via: [],
    stretchMeters,
    time: now,
    timeMode: 'departure',
    limit: 1,
    maxTransfers: Math.max(MIN_RIDES, judged.legs.length - traveller.leg) - 1,
    products: null,
    booked: judged.legs.map(({ ride }) => ride.run.ride),
  };
  return { query, planned: { from: access.planned, to: egress.planned } };
}

interface EndPlaces {
  readonly searched: PlanPlace;
  readonly planned: PlanPlace;
}

function keepWalks(opened: PlanPlace): EndPlaces {
  return { searched: opened, planned: opened };
}

/** Where and when the planned vehicle is boarded or left; the stop is a row of `stops`, or -1. */
interface PlannedCall {
  readonly stop: number;
  readonly time: Instant;
}

async function addRides(
  { places, walks }: TripsContext,
  { from, to, now }: RescueEnds,
  end: 'access' | 'egress',
  opened: PlanPlace,
  call: PlannedCall,
): Promise<EndPlaces> {
  const place = end === 'access' ? from : to;
  const { timetable } = places;
  if (timetable.onDemand === null || place.point === null) return keepWalks(opened);
  const request = openOnDemandRequest(places, usualWalker, walks, { now: null, around: now });
  const found = await reachOnDemand(request, end, place, opened.members);
  const walked = new Set(opened.reach.map(({ stop }) => stop));
  const rides = found.filter(({ stop }) => !walked.has(stop));
  const own = rides.filter(({ stop }) => stop === call.stop);
  const bookable = keepBookable(timetable, { members: [], reach: rides }, end, now).reach;
  const { members, reach } = opened;
  return {
    searched: { members, reach: [...reach, ...bookable, ...findBooked(own, end, call)] },
    planned: { members, reach: [...reach, ...own] },
  };
}

/** The on-demand ride of the plan, at its planned time only. */
function findBooked(
  own: readonly WalkableStop[],
  end: 'access' | 'egress',
  { stop, time }: PlannedCall,
): WalkableStop[] {
  const at = { isArriving: end === 'egress', time, walkSpeedKmh: usualWalker.walkSpeedKmh };
  const { onDemand, meters } = chooseWay({ members: [], reach: own }, stop, at) ?? {};
  if (!onDemand || meters === undefined) return [];
  const begin = at.isArriving
    ? findNextBegin(onDemand.open, time)
    : findLastBegin(onDemand.open, time - onDemand.seconds);
  const open = findOpenTime(onDemand.open, begin);
  if (open === null) return [];
  const booked = { ...open, from: begin as Instant, until: begin as Instant };
  return [{ stop, meters, onDemand: { ...onDemand, open: [booked] } }];
}
