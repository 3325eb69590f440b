import type { LegRef, RescueOption, RescueResult } from '../../../../api/contract/definitions.ts';
import { openTrip } from '../../../../api/engine/read/dated-trip.ts';
import type { Published } from '../../../../api/engine/read/realtime.ts';
import { getStopId } from '../../../../api/engine/read/stop-ids.ts';
import { getZone } from '../../../../api/engine/read/timetable.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import {
  getAlighting,
  getBoarding,
  isAlightingCancelled,
  isBoardingCancelled,
  isCancelledRun,
  openRun,
} from '../../../../api/engine/trips/run.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { pick } from '../../../../pipeline/sample/simulator/seeded-random.ts';
import { getTimeRow } from '../../../../pipeline/snapshots/timetable-lookups.ts';
import type { SceneModels } from './learn-models.ts';
import type { SceneCountry } from './open-scene-country.ts';
import { type Ridden, rideTrip } from './ride-trip.ts';
import { drawTrips, ridesOf, toLegRef, type WatchedInstant, watchDay } from './watch-day.ts';

/** A traveller whose plan works out, the options of a rescue, and the outcomes of the plan and of the first option. */
export interface AdvisedTraveller {
  /** Minutes before the start of the trip, or at the stop of a vehicle that is late and still coming. */
  readonly situation: 'beforeStart' | 'atStop';
  /** Place of the plan among the options; -1 without it. */
  readonly planAt: number;
  /** null: unknown. */
  readonly planProbability: number | null;
  /** Whether all options before the plan arrive clearly earlier and are at least as probable. */
  readonly isPlaceJustified: boolean;
  /** Arrival of the first option minus that of the plan, as predicted; null without the plan. */
  readonly predictedCostMinutes: number | null;
  /** The same as it came; null if one of the two failed. */
  readonly costMinutes: number | null;
  readonly hasPlanFailed: boolean;
  readonly hasFirstFailed: boolean;
}

const HOURS = [7, 8, 9, 12, 15, 16, 17, 19];
/** A traveller asks so long before the planned departure. */
const BEFORE_START_SECONDS = { least: 300, most: 900 };
/** Of the vehicles that are late at an instant, so many are tried. */
const LATE_VEHICLES = 10;
/** Since the planned departure, and until the expected one. */
const WAITING_SECONDS = 60;
const LIMIT = 4;

/**
 * Rescues of travellers on ordinary days: of trips by the timetable shortly before they start, and at the stops of late
 * vehicles. Only those whose trip is on track are returned.
 * @param seeds one for each day, which number it after that of the country
 */
export async function adviseTravellers(
  country: SceneCountry,
  models: SceneModels,
  seeds: readonly number[],
): Promise<AdvisedTraveller[]> {
  const advised: AdvisedTraveller[] = [];
  for (const seed of seeds) {
    for await (const watched of watchDay(country, models, { seed, hours: HOURS })) {
      for (const legs of await drawBeforeStart(country, watched)) {
        advised.push(...(await advise(country, watched, legs, 'beforeStart')));
      }
      for (const leg of drawLateVehicles(country, watched)) {
        advised.push(...(await advise(country, watched, [leg], 'atStop')));
      }
    }
  }
  return advised;
}

async function drawBeforeStart(country: SceneCountry, { now, random }: WatchedInstant): Promise<LegRef[][]> {
  const { least, most } = BEFORE_START_SECONDS;
  const trips = await drawTrips(country, now, random);
  return trips
    .map(ridesOf)
    .filter(([first]) => {
      const aheadSeconds = first ? parseTimestamp(first.origin.departure!.scheduled!)! - now : 0;
      return aheadSeconds >= least && aheadSeconds <= most;
    })
    .map((rides) => rides.map(toLegRef));
}

async function advise(
  country: SceneCountry,
  { published, truth, now }: WatchedInstant,
  legs: readonly LegRef[],
  situation: AdvisedTraveller['situation'],
): Promise<AdvisedTraveller[]> {
  const { state, options } = await rescue(country, published, legs, now);
  const [first] = options;
  if (state !== 'onTrack' || !first) return [];
  const planAt = options.findIndex(({ kind }) => kind === 'wait');
  const plan = options[planAt];
  if (!plan) return [{ situation, planAt, ...MISSING_PLAN }];
  const ride = ({ trip }: RescueOption): Ridden =>
    rideTrip(country, truth, trip, { at: now, aboard: null, alighted: null });
  const [riddenPlan, riddenFirst] = [ride(plan), ride(first)];
  return [
    {
      situation,
      planAt,
      planProbability: plan.successProbability ?? null,
      isPlaceJustified: options.slice(0, planAt).every((option) => isClearlyBetter(option, plan)),
      predictedCostMinutes: first.arrivalDeltaMinutes - plan.arrivalDeltaMinutes,
      costMinutes: findCost(riddenFirst, riddenPlan),
      hasPlanFailed: riddenPlan.failure !== null,
      hasFirstFailed: riddenFirst.failure !== null,
    },
  ];
}

const MISSING_PLAN = {
  planProbability: null,
  isPlaceJustified: false,
  predictedCostMinutes: null,
  costMinutes: null,
  hasPlanFailed: false,
  hasFirstFailed: false,
} as const;

/** The arrivals differ by five minutes or more, each rounded to a minute. */
const CLEARLY_EARLIER_MINUTES = 4;

function isClearlyBetter(option: RescueOption, plan: RescueOption): boolean {
  const isAsProbable = (option.successProbability ?? 1) >= (plan.successProbability ?? 0);
  return isAsProbable && option.arrivalDeltaMinutes <= plan.arrivalDeltaMinutes - CLEARLY_EARLIER_MINUTES;
}

function findCost(first: Ridden, plan: Ridden): number | null {
  if (first.failure !== null || plan.failure !== null) return null;
  return (first.arrival - plan.arrival) / 60;
}

function rescue(
  { planner, places, references }: SceneCountry,
  published: Published,
  legs: readonly LegRef[],
  instant: Instant,
): Promise<RescueResult> {
  const context = { published, planner, places, references, instant, walks: null, isSpent: () => false };
  return planRescue(context, { legs: [...legs], limit: LIMIT });
}

// ---- Late vehicles -----------------------------------------------------------------------------

/** Rides on vehicles that should have left a stop and are still expected there, to the ends of their trips. */
function drawLateVehicles(country: SceneCountry, { published, now, random }: WatchedInstant): LegRef[] {
  const late = listLateVehicles(country, published, now);
  const drawn = new Set<LegRef>();
  while (drawn.size < Math.min(LATE_VEHICLES, late.length)) drawn.add(pick(random, late));
  return [...drawn];
}

function listLateVehicles({ references }: SceneCountry, published: Published, now: Instant): LegRef[] {
  const { timetable, realtime } = published;
  const { trips, patterns, times } = timetable.tables;
  const { trips: liveTrips, calls } = realtime!.tables;
  const late: LegRef[] = [];
  for (let live = 0; live < liveTrips.trip.length; live++) {
    const [trip, day] = [liveTrips.trip[live]!, liveTrips.day[live]!];
    const pattern = trips.pattern[trip]!;
    const last = patterns.callCount[pattern]! - 1;
    const start = getZone(timetable, pattern).startOf(day);
    const row = getTimeRow(timetable.tables, pattern, trip);
    for (let position = 0; position < last; position++) {
      const planned = start + times.departure[row + position]!;
      const expected = calls.departure[liveTrips.firstCall[live]! + position]!;
      if (planned > now - WAITING_SECONDS || expected < now + WAITING_SECONDS) continue;
      const ride = { trip, addedTrip: -1, day, boardPosition: position, alightPosition: last };
      const run = openRun(published, ride, now);
      const isServed = !isCancelledRun(run) && !isBoardingCancelled(run) && !isAlightingCancelled(run);
      if (!isServed || openTrip(published, ride).callCount !== last + 1) continue;
      late.push({
        journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
        originId: getStopId(timetable, getBoarding(run).stop),
        destinationId: getStopId(timetable, getAlighting(run).stop),
      });
      break;
    }
  }
  return late;
}
