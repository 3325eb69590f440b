import type { RescueOption, RescueRequest } from '../../../../api/contract/definitions.ts';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import { openPlaces } from '../../../../api/engine/trips/places.ts';
import type { TripReport } from '../../../../pipeline/model/realtime.ts';
import { type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { clockOf, instant, type World } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, DAY, townTrip } from '../live-town.ts';

export type RequestedLeg = readonly [tripId: string, originId: string, destinationId: string];

/** The bus to the station, then the tram from its other platform. */
export const busAndTram: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['t2', 's2', 'z'],
];

function refOf({ timetable, references }: World, tripId: string): string {
  const { tripId: ids, key } = timetable.tables.trips;
  for (let row = 0; row < ids.length; row++) {
    if (ids.get(row) === tripId) {
      return references.sealJourney({ tripKey: key[row]!, day: toEpochDay(DAY as ServiceDate) });
    }
  }
  throw new Error(`there is no trip ${tripId}`);
}

interface RescueTerms {
  /** Realtime that is fresh. */
  readonly freshAt?: string;
  readonly isSpent?: () => boolean;
}

export async function fetchRescue(
  world: World,
  now: string,
  legs: readonly RequestedLeg[],
  request: Partial<RescueRequest> = {},
  { freshAt = '08:01', isSpent = () => false }: RescueTerms = {},
) {
  const { timetable, realtime, references } = world;
  const body: RescueRequest = {
    legs: legs.map(([tripId, origin, destination]) => ({
      journeyRef: refOf(world, tripId),
      originId: `at:${origin}`,
      destinationId: `at:${destination}`,
    })),
    time: at(now),
    limit: 6,
    ...request,
  };
  const result = await planRescue(
    {
      published: { timetable, realtime },
      planner: openPlanner(timetable),
      places: openPlaces(timetable),
      references,
      instant: instant(at(freshAt)),
      walks: null,
      isSpent,
    },
    body,
  );
  await expectValidAnswer('RescueResult', result);
  return result;
}

/** The action, minutes relative to the plan, probability, and deadline of the decision. */
export function describeOption({ kind, arrivalDeltaMinutes, successProbability, decideBy }: RescueOption): string {
  const chance = successProbability === undefined ? '?' : `${Math.round(successProbability * 100)} %`;
  return `${kind} ${arrivalDeltaMinutes >= 0 ? '+' : ''}${arrivalDeltaMinutes} ${chance} by ${clockOf(decideBy)}`;
}

/** The bus arrives at the station at a time, and at the end of its line with a delay of twelve minutes. */
export const bus = (clock: string): TripReport =>
  reportOf(townTrip('t1'), {
    calls: [
      callOf(stopOf('s1'), { arrival: timeOf(at(clock)), departure: timeOf(at(clock)) }),
      callOf(stopOf('z'), { arrival: timeOf(at('08:42')) }),
    ],
  });
export const cancelled = (tripId: string) => reportOf(townTrip(tripId), { relationship: 'cancelled' });
