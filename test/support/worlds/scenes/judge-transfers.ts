import type { Leg } from '../../../../api/contract/definitions.ts';
import { usualWalker } from '../../../../api/engine/planner/transfer-seconds.ts';
import { type FindTransferChance, openTransferChances } from '../../../../api/engine/predictions/transfer-chances.ts';
import type { Published } from '../../../../api/engine/read/realtime.ts';
import { readLegs } from '../../../../api/engine/rescue/read-legs.ts';
import { joinRides } from '../../../../api/engine/trips/present-legs.ts';
import { assessTransfer } from '../../../../api/engine/trips/present-walk.ts';
import { computeTimeline, type TimedPart } from '../../../../api/engine/trips/timeline.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { SceneModels } from './learn-models.ts';
import type { SceneCountry } from './open-scene-country.ts';
import type { TrueRide, Truth } from './ride-trip.ts';
import { drawTrips, ridesOf, toLegRef, watchDay } from './watch-day.ts';

/** A transfer as it was shown while its vehicles ran, and its outcome. */
export interface JudgedTransfer {
  readonly risk: ReturnType<typeof assessTransfer>;
  /** null: unknown. */
  readonly probability: number | null;
  readonly probabilityFrom: 'live' | 'history' | null;
  /** By the predictions of both vehicles as if they were independent; null without predictions. */
  readonly independentProbability: number | null;
  readonly isMade: boolean;
}

export interface JudgedTransfers {
  readonly transfers: readonly JudgedTransfer[];
  /** Transfers without an outcome: a vehicle did not run, or did not stop there. */
  readonly cancelled: number;
}

/** Hours of a day at which transfers are judged. */
const HOURS = [7, 9, 12, 15, 17, 19];

/**
 * Plans trips with the timetable only, and judges their transfers while the vehicles run.
 * @param seeds one for each day, which number it after that of the country
 */
export async function judgeTransfers(
  country: SceneCountry,
  models: SceneModels,
  seeds: readonly number[],
): Promise<JudgedTransfers> {
  const transfers: JudgedTransfer[] = [];
  let cancelled = 0;
  for (const seed of seeds) {
    for (const judged of await judgeDay(country, models, seed)) {
      if (judged === null) cancelled += 1;
      else transfers.push(judged);
    }
  }
  return { transfers, cancelled };
}

/** @returns null for a transfer without an outcome */
async function judgeDay(country: SceneCountry, models: SceneModels, seed: number): Promise<(JudgedTransfer | null)[]> {
  const judged: (JudgedTransfer | null)[] = [];
  for await (const { published, truth, now, random } of watchDay(country, models, { seed, hours: HOURS })) {
    const observer = {
      country,
      published,
      truth,
      now,
      findChance: openTransferChances(published, now),
      independent: openTransferChances(withoutTransferModels(published), now),
      judged: new Set<string>(),
    };
    for (const trip of await drawTrips(country, now, random)) {
      const rides = ridesOf(trip);
      if (rides.length > 1) judged.push(...judgePlan(observer, rides));
    }
  }
  return judged;
}

function withoutTransferModels({ timetable, realtime }: Published): Published {
  return { timetable, realtime: realtime && { ...realtime, transferModels: new Map() } };
}

interface Observer {
  readonly country: SceneCountry;
  readonly published: Published;
  readonly truth: Truth;
  readonly now: Instant;
  readonly findChance: FindTransferChance;
  /** Without a model of transfers. */
  readonly independent: FindTransferChance;
  /** Transfers by their two rides: one that several trips contain has one outcome, and counts once. */
  readonly judged: Set<string>;
}

/** Judges the transfers of a trip whose first vehicle is still to arrive. */
function judgePlan(observer: Observer, legs: readonly Leg[]): (JudgedTransfer | null)[] {
  const { country, published, truth, now, findChance, independent } = observer;
  const { rides } = readLegs(published, country.references, legs.map(toLegRef), now);
  const plan = joinRides(published, rides, usualWalker);
  const { parts } = computeTimeline(published, plan, now, findChance);
  const { parts: independentParts } = computeTimeline(published, plan, now, independent);
  const judged: (JudgedTransfer | null)[] = [];
  let next = 0;
  for (const [i, part] of parts.entries()) {
    if (part.kind === 'ride') {
      next += 1;
      continue;
    }
    const [before, after] = [legs[next - 1], legs[next]];
    if (!part.transfer || !before || !after || !isNew(observer, before, after)) continue;
    const [arriving, leaving] = [truth.findRide(before), truth.findRide(after)];
    if (arriving.to.arrival <= now) continue;
    const { transferSeconds, spareSeconds, estimate } = part.transfer;
    judged.push(
      isServed(arriving) && isServed(leaving)
        ? {
            risk: assessTransfer({ ...part.transfer, isGuaranteed: part.walk.isGuaranteed }),
            probability: estimate?.probability ?? null,
            probabilityFrom: estimate?.from ?? null,
            independentProbability: findProbability(independentParts[i]!),
            isMade: leaving.from.departure - arriving.to.arrival >= transferSeconds - spareSeconds,
          }
        : null,
    );
  }
  return judged;
}

function isNew({ judged }: Observer, before: Leg, after: Leg): boolean {
  const name = [before.journeyRef, before.destination.id, after.journeyRef, after.origin.id].join(' ');
  if (judged.has(name)) return false;
  judged.add(name);
  return true;
}

function findProbability(part: TimedPart): number | null {
  return part.kind === 'walk' ? (part.transfer?.estimate?.probability ?? null) : null;
}

function isServed({ isCancelled, from, to }: TrueRide): boolean {
  return !isCancelled && !from.isSkipped && !to.isSkipped;
}
