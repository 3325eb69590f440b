import type { HafasProfile } from '../../formats/hafas/hafas-profile.ts';
import { buildMgateRequest, type Md5, type MgateCall } from '../../formats/hafas/mgate-request.ts';
import type { GeoBox } from '../../model/geo.ts';
import type { Instant } from '../../model/service-time.ts';
import { nameArea } from '../../model/vehicle-demand.ts';
import { areaBudget } from '../area-budget.ts';
import type { SourceRequest } from '../realtime-source.ts';
import type { HafasOptions } from './hafas-options.ts';

const SECONDS_PER_DAY = 86_400;
const DEFAULT_INTERVAL_SECONDS = 60;
const DEFAULT_DURATION_MINUTES = 60;
/** Messages change seldom, the timetable hardly ever. */
const REMARKS_INTERVAL_SECONDS = 300;
const SERVER_INFO_INTERVAL_SECONDS = 3600;
/** A board begins a little before now: what was reported of a departure stands there only after it. */
const LOOK_BACK_MINUTES = 5;
const MAX_VEHICLES = 1000;
const MAX_MESSAGES = 500;

/** One call that is made again and again. */
export interface PlannedCall {
  /** Unique within the source. */
  readonly part: string;
  readonly intervalSeconds: number;
  toCall(now: Instant): MgateCall;
}

/**
 * Everything that a source asks for, boards first, at intervals for which the budget lasts.
 * @throws RangeError when two stops are called alike
 */
export function planCalls(options: HafasOptions): PlannedCall[] {
  const plans = listPlans(options);
  const repeated = plans.find(({ part }, index) => plans.findIndex((other) => other.part === part) !== index);
  if (repeated) throw new RangeError(`${options.id}: two stops make the same request "${repeated.part}"`);
  const { dailyBudget, vehiclesOnDemand = false } = options;
  return stretch(plans, vehiclesOnDemand ? dailyBudget - areaBudget(dailyBudget) : dailyBudget);
}

export function toRequest(plan: PlannedCall, profile: HafasProfile, md5: Md5, now: Instant): SourceRequest {
  return {
    part: plan.part,
    method: 'POST',
    ...buildMgateRequest(profile, plan.toCall(now), md5),
    intervalSeconds: plan.intervalSeconds,
    extension: 'json',
  };
}

function listPlans(options: HafasOptions): PlannedCall[] {
  const boardSeconds = options.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS;
  const durationMinutes = (options.durationMinutes ?? DEFAULT_DURATION_MINUTES) + LOOK_BACK_MINUTES;
  const planBoards = (type: 'DEP' | 'ARR', word: string): PlannedCall[] =>
    options.stops.map((stopId) => ({
      part: `${word}-${toPart(stopId)}`,
      intervalSeconds: boardSeconds,
      toCall: (now) => {
        const from = (now - LOOK_BACK_MINUTES * 60) as Instant;
        return { method: 'StationBoard', type, stopId, from, durationMinutes };
      },
    }));
  const plans = planBoards('DEP', 'departures');
  if (options.arrivals) plans.push(...planBoards('ARR', 'arrivals'));
  if (options.remarks) {
    plans.push({
      part: 'remarks',
      intervalSeconds: Math.max(boardSeconds, REMARKS_INTERVAL_SECONDS),
      toCall: (now) => ({ method: 'HimSearch', from: now, maxMessages: MAX_MESSAGES }),
    });
  }
  const box = options.radar ?? null;
  if (box !== null) {
    plans.push({
      part: 'radar',
      intervalSeconds: boardSeconds,
      toCall: (now) => ({ method: 'JourneyGeoPos', box, at: now, maxVehicles: MAX_VEHICLES }),
    });
  }
  plans.push({
    part: 'server-info',
    intervalSeconds: Math.max(boardSeconds, SERVER_INFO_INTERVAL_SECONDS),
    toCall: () => ({ method: 'ServerInfo' }),
  });
  return plans;
}

/** Half of the time for which an area counts as live, so that one request that fails does not end it. */
const AREA_INTERVAL_SECONDS = 30;

/** The vehicles of an area of the map, as long as somebody looks at it. */
export function planArea(box: GeoBox): PlannedCall {
  return {
    part: `area-${nameArea(box)}`,
    intervalSeconds: AREA_INTERVAL_SECONDS,
    toCall: (now) => ({ method: 'JourneyGeoPos', box, at: now, maxVehicles: MAX_VEHICLES }),
  };
}

/** A budget that is spent by noon leaves nothing for the evening, so all intervals grow until it lasts. */
function stretch(plans: readonly PlannedCall[], dailyBudget: number): PlannedCall[] {
  const callsADay = plans.reduce((sum, { intervalSeconds }) => sum + SECONDS_PER_DAY / intervalSeconds, 0);
  const factor = Math.max(1, callsADay / dailyBudget);
  return plans.map((plan) => ({ ...plan, intervalSeconds: Math.ceil(plan.intervalSeconds * factor) }));
}

function toPart(stopId: string): string {
  return stopId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
