import type { Leg, LegRef, Trip } from '../../../../api/contract/definitions.ts';
import { usualWalker } from '../../../../api/engine/planner/transfer-seconds.ts';
import { presentTimestamp } from '../../../../api/engine/read/present.ts';
import type { Published } from '../../../../api/engine/read/realtime.ts';
import { listBusiestStops } from '../../../../api/engine/search/stops.ts';
import { addDays, type Instant, serviceDayStart } from '../../../../pipeline/model/service-time.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { pick, type Random, seededRandom } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { SAMPLE_ZONE } from '../../../../pipeline/sample/simulator/service-day.ts';
import { simulatedAnswers } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { queryTimetable } from './find-watched-trip.ts';
import type { SceneModels } from './learn-models.ts';
import { type SceneCountry, TIMETABLE_SEED } from './open-scene-country.ts';
import { openTruth, type Truth } from './ride-trip.ts';
import { openScenePolls } from './scene-polls.ts';

/** The published data at an instant of an ordinary day, and the simulated events of that day. */
export interface WatchedInstant {
  readonly now: Instant;
  readonly published: Published;
  readonly truth: Truth;
  /** Seeded by the day. */
  readonly random: Random;
}

/** Earlier polls, from which predictions start. */
const POLLED_BEFORE_MINUTES = [45, 30, 15];

/**
 * Polls the sources on a day after that of the country.
 * @param seed of the operation; also the number of the day
 * @param hours of the day, in ascending order
 */
export async function* watchDay(
  country: SceneCountry,
  models: SceneModels,
  { seed, hours }: { readonly seed: number; readonly hours: readonly number[] },
): AsyncGenerator<WatchedInstant> {
  const simulator = createSimulator(country.lookups, { seed, timetableSeed: TIMETABLE_SEED });
  const answers = simulatedAnswers(simulator);
  const truth = openTruth(country, simulator);
  const polls = openScenePolls(country, models);
  const random = seededRandom(seed, 'transfers');
  const dayStart = serviceDayStart(addDays(country.today, seed), SAMPLE_ZONE);
  for (const hour of hours) {
    const now = (dayStart + hour * 3600) as Instant;
    for (const minutes of POLLED_BEFORE_MINUTES) await polls.poll(answers, (now - minutes * 60) as Instant);
    yield { now, published: await polls.poll(answers, now), truth, random };
  }
}

const DRAWS = 50;
/** Trips are drawn between this many of the busiest stops. */
const STOPS = 60;

/** Different trips by the timetable that leave within half an hour of an instant. */
export async function drawTrips(country: SceneCountry, now: Instant, random: Random): Promise<Trip[]> {
  const stops = listBusiestStops(country.timetable, STOPS).map(({ id }) => id);
  const query = queryTimetable(country);
  const drawn = new Map<string, Trip>();
  for (let draw = 0; draw < DRAWS; draw++) {
    const [from, to] = [pick(random, stops), pick(random, stops)];
    const time = Math.round(now + (random() - 0.5) * 3600) as Instant;
    if (from === to) continue;
    const { trips } = await query({
      from: { stopId: from },
      to: { stopId: to },
      time: presentTimestamp(time),
      timeMode: 'departure',
      limit: 3,
      walkSpeedKmh: usualWalker.walkSpeedKmh,
      maxWalkMeters: usualWalker.maxWalkMeters,
      wheelchair: false,
    });
    for (const trip of trips)
      drawn.set(
        ridesOf(trip)
          .map(({ journeyRef }) => journeyRef)
          .join(' '),
        trip,
      );
  }
  return [...drawn.values()];
}

export function ridesOf({ legs }: Trip): Leg[] {
  return legs.filter(({ mode }) => mode === 'transit');
}

export function toLegRef({ journeyRef, origin, destination }: Leg): LegRef {
  return { journeyRef: journeyRef!, originId: origin.id!, destinationId: destination.id! };
}
