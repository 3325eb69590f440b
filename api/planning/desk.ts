import type { Instant } from '../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { findFootpath } from '../engine/footpath.ts';
import { openPlanner, PlanTimeout } from '../engine/planner/planner.ts';
import type { Workshop } from '../engine/planner/workshop.ts';
import type { Realtime } from '../engine/realtime.ts';
import type { References } from '../engine/references.ts';
import type { Timetable } from '../engine/timetable.ts';
import { openPlaces } from '../engine/trips/places.ts';
import { planTrips } from '../engine/trips/plan-trips.ts';
import type { PlanningTask } from './planning.ts';
import { timeIsOver } from './refusals.ts';

/** What is the same for every timetable. */
export interface DeskTools {
  readonly references: References;
  /** null where there is no street graph. */
  readonly walks: WalkRouter | null;
  /** Where other desks of the same timetable share what they make; a desk that is alone has none. */
  readonly workshop?: Workshop;
}

export interface DeskQuestion {
  readonly task: PlanningTask;
  readonly realtime: Realtime | null;
  readonly moment: Instant;
  /** Whether the time for the answer is over. */
  readonly isSpent: () => boolean;
}

/** Answers tasks in the thread that it is opened in, one at a time. */
export interface Desk {
  /**
   * @returns JSON in memory of its own, so that it can go to another thread without a copy
   * @throws ApiProblem
   */
  answer(question: DeskQuestion): Promise<Uint8Array<ArrayBuffer>>;
}

/** @param timetable null: there is none yet, and nobody asks about it */
export function openDesk(timetable: Timetable | null, { references, walks, workshop }: DeskTools): Desk {
  const planner = timetable && openPlanner(timetable, workshop);
  const places = timetable && openPlaces(timetable);
  const make = ({ task, realtime, moment, isSpent }: DeskQuestion): Promise<object> => {
    if (task.kind === 'footpath') return findFootpath(walks, task.body);
    if (!timetable || !planner || !places) throw new Error('trips were asked for without a timetable');
    const published = { timetable, realtime };
    return planTrips({ published, planner, places, references, moment, walks, isSpent }, task.body);
  };
  return {
    async answer(question) {
      try {
        return new TextEncoder().encode(JSON.stringify(await make(question)));
      } catch (error) {
        throw error instanceof PlanTimeout ? timeIsOver() : error;
      }
    },
  };
}
