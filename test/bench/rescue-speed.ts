import type { RescueRequest, TripResult } from '../../api/contract/definitions.ts';
import type { EstimateChange } from '../../api/engine/predictions/change-estimates.ts';
import { presentTimestamp } from '../../api/engine/read/present.ts';
import type { Realtime } from '../../api/engine/read/realtime.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { planRescue } from '../../api/engine/rescue/plan-rescue.ts';
import { planTrips, type TripsContext } from '../../api/engine/trips/plan-trips.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { type TripQuestion, toTripRequest } from './planner-questions.ts';
import { type Quantiles, toQuantiles } from './planner-speed.ts';
import type { PlannerWorld } from './planner-world.ts';

export interface RescueSpeed extends Quantiles {
  readonly rescues: number;
  /** Of a rescue, on average. */
  readonly options: number;
}

/** Chances rise with the spare time, as learnt ones do: the search follows later vehicles, too. */
const estimate: EstimateChange = (arrival, departure, changeSeconds) => {
  const spare = departure.expected - arrival.expected - changeSeconds;
  return { probability: Math.min(1, Math.round(100 - 50 * Math.exp(-spare / 240)) / 100), sampleSize: 100 };
};

/** Rescues of trips under way with a change: as asked from the middle of the first ride. Each is asked once. */
export async function measureRescues(
  { planner, places }: PlannerWorld,
  realtime: Realtime,
  moment: Instant,
  questions: readonly TripQuestion[],
): Promise<RescueSpeed> {
  const context: TripsContext = {
    published: { timetable: planner.timetable, realtime },
    planner,
    places,
    references: createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1)),
    moment,
    walks: null,
    isSpent: () => false,
  };
  const bodies: RescueRequest[] = [];
  for (const question of questions) {
    const { trips } = await planTrips(context, toTripRequest({ ...question, time: moment }));
    const body = toRescue(trips, moment);
    if (body) bodies.push(body);
  }
  const milliseconds: number[] = [];
  let options = 0;
  for (const [i, body] of bodies.entries()) {
    const started = performance.now();
    const result = JSON.stringify(await planRescue(context, body, estimate));
    // The first ones warm up.
    if (i >= bodies.length / 5) milliseconds.push(performance.now() - started);
    options += JSON.parse(result).options.length;
  }
  return { ...toQuantiles(milliseconds), rescues: milliseconds.length, options: options / bodies.length };
}

/** The first trip with a change, asked about in the middle of its first ride; null where there is none. */
function toRescue(trips: TripResult['trips'], moment: Instant): RescueRequest | null {
  const trip = trips.find(({ transfers }) => transfers > 0);
  const rides = trip?.legs.filter(({ mode }) => mode === 'transit') ?? [];
  const [first] = rides;
  if (!first) return null;
  const [begin, end] = [first.origin.departure!, first.destination.arrival!].map(
    ({ realtime: live, scheduled }) => parseTimestamp(live ?? scheduled!)!,
  );
  const now = Math.max(moment, (begin! + end!) / 2) as Instant;
  return {
    legs: rides.map(({ journeyRef, origin, destination }) => ({
      journeyRef: journeyRef!,
      originId: origin.id,
      destinationId: destination.id,
    })),
    time: presentTimestamp(Math.round(now) as Instant),
    limit: 4,
  };
}
