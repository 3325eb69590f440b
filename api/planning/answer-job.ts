import { AUSTRIA, fromEpochDay, type Instant, serviceDayStart, toEpochDay } from '../../pipeline/model/service-time.ts';
import type { WalkRouter } from '../../pipeline/streets/walk-router.ts';
import { findFootpath } from '../engine/footpath.ts';
import { openPlanner } from '../engine/planner/open-planner.ts';
import { PlanTimeout } from '../engine/planner/search.ts';
import type { Workshop } from '../engine/planner/shared-tables.ts';
import { presentTimestamp } from '../engine/read/present.ts';
import type { Realtime } from '../engine/read/realtime.ts';
import type { References } from '../engine/read/references.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import { listBusiestStops } from '../engine/search/stops.ts';
import { openPlaces } from '../engine/trips/places.ts';
import { planTrips } from '../engine/trips/plan-trips.ts';
import { type PlanningTask, timeIsOver } from './planning.ts';

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

const STOPS = 6;
const HOUR = 3600;
/** A large timetable fills it; there a few questions suffice, because each does a lot. */
const MILLISECONDS = 1000;

/**
 * Asks between the stops with the most traffic before anybody waits: code that has never run is ten times as slow. What
 * is made ready for that is what travellers ask for now.
 * @param onStep called after each question
 */
export async function warmUpDesk(
  desk: Desk,
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
      const question = { task: askTrips(from, to, time), realtime: null, moment: time, isSpent };
      // What cannot be answered is told to the traveller who asks it.
      await desk.answer(question).catch(() => null);
      onStep();
    }
  }
}

/** Eight o'clock in the middle of the timetable's period. */
function findUsualMorning({ manifest }: Timetable): Instant {
  const middle = Math.floor((toEpochDay(manifest.beginDate) + toEpochDay(manifest.endDate)) / 2);
  return (serviceDayStart(fromEpochDay(middle), AUSTRIA) + 8 * HOUR) as Instant;
}

function askTrips(from: string, to: string, time: Instant): PlanningTask {
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
