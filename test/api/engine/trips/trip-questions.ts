import type { TripRequest, TripResult } from '../../../../api/contract/definitions.ts';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import { planTrips, type TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { instant, type World } from '../../../support/worlds/board-world.ts';
import { at } from '../live-town.ts';

/** A body as read from a request: omitted members have their defaults. */
export function buildTripRequest(
  from: TripRequest['from'],
  to: TripRequest['to'],
  over: Partial<TripRequest> = {},
): TripRequest {
  return {
    from,
    to,
    timeMode: 'departure',
    limit: 4,
    walkSpeedKmh: 4.7,
    maxWalkMeters: 1500,
    wheelchair: false,
    ...over,
  };
}

/** All inputs of a response, at a time of the network's day or any other. */
export function openTrips({ timetable, realtime, references }: World, now: string): TripsContext {
  return {
    published: { timetable, realtime },
    planner: openPlanner(timetable),
    places: openPlaces(timetable),
    references,
    instant: instant(now.length > 8 ? now : at(now)),
    walks: null,
    isSpent: () => false,
  };
}

/** Requests trips and checks them against the published schema. */
export async function requestTrips(context: TripsContext, body: TripRequest): Promise<TripResult> {
  const answer = await planTrips(context, body);
  await expectValidAnswer('TripResult', answer);
  return answer;
}
