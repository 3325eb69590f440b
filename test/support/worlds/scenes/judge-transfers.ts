import type { Leg, LegRef } from '../../../../api/contract/definitions.ts';
import { presentTimestamp } from '../../../../api/engine/read/present.ts';
import type { Published } from '../../../../api/engine/read/realtime.ts';
import { readLegs } from '../../../../api/engine/rescue/read-legs.ts';
import { listBusiestStops } from '../../../../api/engine/search/stops.ts';
import { joinRides, usualWalker } from '../../../../api/engine/trips/present-legs.ts';
import { assessTransfer } from '../../../../api/engine/trips/present-walk.ts';
import {
  computeTimeline,
  openTransferEstimates,
  type TransferEstimates,
} from '../../../../api/engine/trips/timeline.ts';
import { addDays, type Instant, serviceDayStart } from '../../../../pipeline/model/service-time.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { pick, type Random, seededRandom } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { SAMPLE_ZONE } from '../../../../pipeline/sample/simulator/service-day.ts';
import { simulatedAnswers } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { queryTimetable } from './find-watched-trip.ts';
import type { SceneModels } from './learn-models.ts';
import { type SceneCountry, TIMETABLE_SEED } from './open-scene-country.ts';
import { openTruth, type TrueRide, type Truth } from './ride-trip.ts';
import { openScenePolls } from './scene-polls.ts';

/** A transfer as it was shown while its vehicles ran, and its outcome. */
export interface JudgedTransfer {
  readonly risk: ReturnType<typeof assessTransfer>;
  /** null: unknown. */
  readonly probability: number | null;
  readonly probabilityFrom: 'live' | 'history' | null;
  readonly isMade: boolean;
}

export interface JudgedTransfers {
  readonly transfers: readonly JudgedTransfer[];
  /** Transfers without an outcome: a vehicle did not run, or did not stop there. */
  readonly cancelled: number;
}

/** Hours of a day at which transfers are judged. */
const HOURS = [7, 9, 12, 15, 17, 19];
const DRAWS_PER_HOUR = 50;
/** Trips are drawn between this many of the busiest stops. */
const STOPS = 60;
/** Earlier polls, from which predictions start. */
const POLLED_BEFORE_MINUTES = [45, 30, 15];

/**
 * Plans trips with the timetable only, and judges their transfers while the vehicles run.
 * @param days after those of the country, each simulated with another seed
 */
export async function judgeTransfers(
  country: SceneCountry,
  models: SceneModels,
  days: number,
): Promise<JudgedTransfers> {
  const transfers: JudgedTransfer[] = [];
  let cancelled = 0;
  for (let seed = 1; seed <= days; seed++) {
    for (const judged of await judgeDay(country, models, seed)) {
      if (judged === null) cancelled += 1;
      else transfers.push(judged);
    }
  }
  return { transfers, cancelled };
}

/** @returns null for a transfer without an outcome */
async function judgeDay(country: SceneCountry, models: SceneModels, seed: number): Promise<(JudgedTransfer | null)[]> {
  const simulator = createSimulator(country.lookups, { seed, timetableSeed: TIMETABLE_SEED });
  const answers = simulatedAnswers(simulator);
  const truth = openTruth(country, simulator);
  const polls = openScenePolls(country, models);
  const random = seededRandom(seed, 'transfers');
  const dayStart = serviceDayStart(addDays(country.today, seed), SAMPLE_ZONE);
  const judged: (JudgedTransfer | null)[] = [];
  for (const hour of HOURS) {
    const now = (dayStart + hour * 3600) as Instant;
    for (const minutes of POLLED_BEFORE_MINUTES) await polls.poll(answers, (now - minutes * 60) as Instant);
    const published = await polls.poll(answers, now);
    const observer = { country, published, truth, now, estimates: openTransferEstimates(published, now) };
    for (const rides of await drawPlans(country, now, random)) judged.push(...judgePlan(observer, rides));
  }
  return judged;
}

/** The rides of different trips with a transfer that leave within half an hour of an instant. */
async function drawPlans(country: SceneCountry, now: Instant, random: Random): Promise<Leg[][]> {
  const stops = listBusiestStops(country.timetable, STOPS).map(({ id }) => id);
  const query = queryTimetable(country);
  const plans = new Map<string, Leg[]>();
  for (let draw = 0; draw < DRAWS_PER_HOUR; draw++) {
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
    for (const { legs } of trips) {
      const rides = legs.filter(({ mode }) => mode === 'transit');
      if (rides.length > 1) plans.set(rides.map(({ journeyRef }) => journeyRef).join(' '), rides);
    }
  }
  return [...plans.values()];
}

interface Observer {
  readonly country: SceneCountry;
  readonly published: Published;
  readonly truth: Truth;
  readonly now: Instant;
  readonly estimates: TransferEstimates;
}

/** Judges the transfers of a trip whose first vehicle is still to arrive. */
function judgePlan(
  { country, published, truth, now, estimates }: Observer,
  legs: readonly Leg[],
): (JudgedTransfer | null)[] {
  const { rides } = readLegs(published, country.references, legs.map(toLegRef), now);
  const plan = joinRides(published, rides, usualWalker);
  const { parts } = computeTimeline(published, plan, now, estimates);
  const judged: (JudgedTransfer | null)[] = [];
  let next = 0;
  for (const part of parts) {
    if (part.kind === 'ride') {
      next += 1;
      continue;
    }
    const [before, after] = [legs[next - 1], legs[next]];
    if (!part.transfer || !before || !after) continue;
    const [arriving, leaving] = [truth.findRide(before), truth.findRide(after)];
    if (arriving.to.arrival <= now) continue;
    const { transferSeconds, spareSeconds, estimate } = part.transfer;
    judged.push(
      isServed(arriving) && isServed(leaving)
        ? {
            risk: assessTransfer({ ...part.transfer, isGuaranteed: part.walk.isGuaranteed }),
            probability: estimate?.probability ?? null,
            probabilityFrom: estimate?.from ?? null,
            isMade: leaving.from.departure - arriving.to.arrival >= transferSeconds - spareSeconds,
          }
        : null,
    );
  }
  return judged;
}

function isServed({ isCancelled, from, to }: TrueRide): boolean {
  return !isCancelled && !from.isSkipped && !to.isSkipped;
}

function toLegRef({ journeyRef, origin, destination }: Leg): LegRef {
  return { journeyRef: journeyRef!, originId: origin.id!, destinationId: destination.id! };
}
