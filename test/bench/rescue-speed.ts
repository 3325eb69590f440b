import type { RescueRequest, TripResult } from '../../api/contract/definitions.ts';
import type { FindTransferChance } from '../../api/engine/predictions/transfer-chances.ts';
import type { ExpectedCallEvent } from '../../api/engine/predictions/transfer-estimates.ts';
import { presentTimestamp } from '../../api/engine/read/present.ts';
import type { Realtime } from '../../api/engine/read/realtime.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { planRescue } from '../../api/engine/rescue/plan-rescue.ts';
import { planTrips, type TripsContext } from '../../api/engine/trips/plan-trips.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { seededRandom } from '../../pipeline/predictions/forest/seeded-random.ts';
import { trainTransferModel } from '../../pipeline/predictions/transfers/train-transfers.ts';
import { transferColumns, writeTransferFacts } from '../../pipeline/snapshots/transfer-model/transfer-facts.ts';
import { estimateTransfer, type TransferModel } from '../../pipeline/snapshots/transfer-model/transfer-model.ts';
import { type TripQuestion, toTripRequest } from './planner-questions.ts';
import { type Quantiles, toQuantiles } from './planner-speed.ts';
import type { PlannerWorld } from './planner-world.ts';

export interface RescueSpeed extends Quantiles {
  readonly rescues: number;
  /** Average per rescue. */
  readonly options: number;
}

/** Estimates by a model as large as a trained one; both vehicles were observed two minutes ago. */
function openEstimates(instant: Instant): FindTransferChance {
  const model = trainMadeUpModel();
  const observe = ({ scheduled, expected }: ExpectedCallEvent) => ({
    forecast: null,
    observed: { delaySeconds: expected - scheduled, ageSeconds: 120 },
    overdueSeconds: 0,
  });
  return (arrival, departure, neededSeconds) => {
    const estimate = estimateTransfer(model, {
      plannedSeconds: departure.scheduled - arrival.scheduled,
      neededSeconds,
      secondsToArrival: arrival.scheduled - instant,
      hour: 7,
      dwellSeconds: null,
      arrival: observe(arrival),
      departure: observe(departure),
    });
    return estimate && { probability: estimate.probability, estimate };
  };
}

const MADE_UP_CHANGES = 30_000;
const MADE_UP_DAYS = 6;

/** Transfers that are made if the remaining time exceeds an exponentially distributed delay. */
function trainMadeUpModel(): TransferModel {
  const random = seededRandom(1);
  const width = transferColumns.length;
  const values = new Float32Array(MADE_UP_CHANGES * width);
  const held = new Uint8Array(MADE_UP_CHANGES);
  const day = new Int32Array(MADE_UP_CHANGES);
  for (let i = 0; i < MADE_UP_CHANGES; i++) {
    const below = (limit: number) => Math.floor(random() * limit);
    const [plannedSeconds, neededSeconds, dwellSeconds] = [60 * below(30), 30 * below(10), 60 * below(4)];
    const observe = () => ({
      forecast: null,
      observed: { delaySeconds: 20 * below(40), ageSeconds: 30 * below(40) },
      overdueSeconds: 10 * below(20),
    });
    const [arrival, departure] = [observe(), observe()];
    const [secondsToArrival, hour] = [60 * below(90), below(24)];
    const facts = { plannedSeconds, neededSeconds, secondsToArrival, hour, dwellSeconds, arrival, departure };
    writeTransferFacts(facts, values.subarray(i * width, (i + 1) * width));
    const left = plannedSeconds - neededSeconds + departure.observed.delaySeconds - arrival.observed.delaySeconds;
    held[i] = left > -Math.log(1 - random()) * 120 ? 1 : 0;
    day[i] = i % MADE_UP_DAYS;
  }
  return trainTransferModel({ values, held, day }).model;
}

/** Measures rescues of running trips with a transfer, requested once each from the middle of the first ride. */
export async function measureRescues(
  { planner, places }: PlannerWorld,
  realtime: Realtime,
  instant: Instant,
  questions: readonly TripQuestion[],
): Promise<RescueSpeed> {
  const context: TripsContext = {
    published: { timetable: planner.timetable, realtime },
    planner,
    places,
    references: createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1)),
    instant,
    walks: null,
    isSpent: () => false,
  };
  const bodies: RescueRequest[] = [];
  for (const question of questions) {
    const { trips } = await planTrips(context, toTripRequest({ ...question, time: instant }));
    const body = toRescue(trips, instant);
    if (body) bodies.push(body);
  }
  const findChance = openEstimates(instant);
  const milliseconds: number[] = [];
  let options = 0;
  for (const [i, body] of bodies.entries()) {
    const started = performance.now();
    const result = JSON.stringify(await planRescue(context, body, findChance));
    // The first ones warm up.
    if (i >= bodies.length / 5) milliseconds.push(performance.now() - started);
    options += JSON.parse(result).options.length;
  }
  return { ...toQuantiles(milliseconds), rescues: milliseconds.length, options: options / bodies.length };
}

/** A rescue request in the middle of the first ride of the first trip with a transfer; null if there is none. */
function toRescue(trips: TripResult['trips'], instant: Instant): RescueRequest | null {
  const trip = trips.find(({ transfers }) => transfers > 0);
  const rides = trip?.legs.filter(({ mode }) => mode === 'transit') ?? [];
  const [first] = rides;
  if (!first) return null;
  const [begin, end] = [first.origin.departure!, first.destination.arrival!].map(
    ({ realtime: live, scheduled }) => parseTimestamp(live ?? scheduled!)!,
  );
  const now = Math.max(instant, (begin! + end!) / 2) as Instant;
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
