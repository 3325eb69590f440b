import { AUSTRIA, fromEpochDay, type Instant, serviceDayStart, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { timeLimitPassed } from '../contract/overload-problems.ts';
import { findLegAlternatives } from '../engine/alternatives/find-leg-alternatives.ts';
import { findFootpath } from '../engine/footpath.ts';
import { openPlanner } from '../engine/planner/open-planner.ts';
import { PlanTimeout } from '../engine/planner/search.ts';
import type { SharedTables } from '../engine/planner/shared-tables.ts';
import { presentTimestamp } from '../engine/read/present.ts';
import type { Realtime } from '../engine/read/realtime.ts';
import type { References } from '../engine/read/references.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import { followTrip } from '../engine/rescue/follow-trip.ts';
import { planRescue } from '../engine/rescue/plan-rescue.ts';
import { listBusiestStops } from '../engine/search/stops.ts';
import { openPlaces } from '../engine/trips/places.ts';
import { planTripChoice, planTrips } from '../engine/trips/plan-trips.ts';
import type { PlanningTask } from './planning.ts';

/** Dependencies that do not depend on the timetable. */
export interface PlanningServiceOptions {
  readonly references: References;
  /** null where there is no street graph. */
  readonly walks: WalkRouter | null;
  /** Tables shared with other services of the same timetable; absent when there is no other. */
  readonly sharedTables?: SharedTables;
}

export interface PlanningQuestion {
  readonly task: PlanningTask;
  readonly realtime: Realtime | null;
  readonly instant: Instant;
  /** Whether the time limit of the answer has passed, or a share of it. */
  readonly isSpent: (share?: number) => boolean;
}

/** The time limit of an answer, from now on. */
export function openTimeLimit(milliseconds: number): PlanningQuestion['isSpent'] {
  const begin = performance.now();
  return (share = 1) => performance.now() >= begin + share * milliseconds;
}

/** Answers planning tasks in the calling thread, one at a time. */
export interface PlanningService {
  /**
   * @returns JSON in a buffer that nothing else references, so that it can be transferred to another thread without a
   * copy
   * @throws ApiProblem
   */
  answer(question: PlanningQuestion): Promise<Uint8Array<ArrayBuffer>>;
}

/** @param timetable null when none is published yet: footpaths only */
export function openPlanningService(
  timetable: Timetable | null,
  { references, walks, sharedTables }: PlanningServiceOptions,
): PlanningService {
  const planner = timetable && openPlanner(timetable, sharedTables);
  const places = timetable && openPlaces(timetable);
  const make = ({ task, realtime, instant, isSpent }: PlanningQuestion): Promise<object> => {
    if (task.kind === 'footpath') return findFootpath(walks, task.body);
    if (!timetable || !planner || !places) throw new Error('trips requested without a timetable');
    const context = { published: { timetable, realtime }, planner, places, references, instant, walks, isSpent };
    switch (task.kind) {
      case 'trips':
        return task.body.legAlternatives ? findLegAlternatives(context, task.body) : planTrips(context, task.body);
      case 'tripChoice':
        return planTripChoice(context, task.body);
      case 'followedTrip':
        return followTrip(context, task.body);
      case 'rescue':
        return planRescue(context, task.body);
    }
  };
  return {
    async answer(question) {
      try {
        return new TextEncoder().encode(JSON.stringify(await make(question)));
      } catch (error) {
        throw error instanceof PlanTimeout ? timeLimitPassed() : error;
      }
    },
  };
}

const STOPS = 6;
const HOUR = 3600;
/** Reached only with a large timetable, where few questions suffice because each one runs much code. */
const MILLISECONDS = 1000;

/**
 * Plans trips between the busiest stops before the first request: code that has never run is ten times as slow. The
 * tables that this builds are those that requests of the present time need.
 * @param onStep called after each question
 */
export async function warmUpPlanning(
  service: PlanningService,
  timetable: Timetable,
  now: Instant,
  onStep: () => void = () => {},
): Promise<void> {
  const stops = listBusiestStops(timetable, STOPS).map(({ id }) => id);
  const time = timetable.begin <= now && now < timetable.end ? now : findUsualMorning(timetable);
  const end = performance.now() + MILLISECONDS;
  const isSpent = () => performance.now() >= end;
  for (const from of stops) {
    for (const to of stops) {
      if (from === to || isSpent()) continue;
      const question = { task: createTripTask(from, to, time), realtime: null, instant: time, isSpent };
      // A failure is reported to the request that meets it again.
      await service.answer(question).catch(() => null);
      onStep();
    }
  }
}

/** Eight o'clock in the middle of the timetable's period. */
function findUsualMorning({ manifest }: Timetable): Instant {
  const middle = Math.floor((toEpochDay(manifest.beginDate) + toEpochDay(manifest.endDate)) / 2);
  return (serviceDayStart(fromEpochDay(middle), AUSTRIA) + 8 * HOUR) as Instant;
}

function createTripTask(from: string, to: string, time: Instant): PlanningTask {
  return {
    kind: 'trips',
    body: {
      from: { stopId: from },
      to: { stopId: to },
      time: presentTimestamp(time),
      timeMode: 'departure',
      limit: 4,
      walkSpeedKmh: 4.7,
      maxWalkMeters: 1500,
      wheelchair: false,
    },
  };
}
