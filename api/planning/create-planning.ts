import type { Log } from '../../pipeline/effects/log.ts';
import type { Published } from '../engine/realtime.ts';
import type { Timetable } from '../engine/timetable.ts';
import type { HeldSnapshot } from '../plugins/route-handler.ts';
import type { DeskTools } from './desk.ts';
import { localWorkers } from './local-worker.ts';
import type { OpenWorker } from './planner-worker.ts';
import type { Planning, PlanningLimits } from './planning.ts';
import { openPool, type Pool } from './pool.ts';
import { type ThreadOptions, threadWorkers } from './thread-worker.ts';

export interface CreatePlanningOptions {
  readonly limits: PlanningLimits;
  readonly log: Log;
}

/** Plans in threads of their own, which share the timetable with this one. */
export function createThreadPlanning({ limits, log, ...thread }: CreatePlanningOptions & ThreadOptions): Planning {
  return createPlanning((timetable) => threadWorkers(timetable, thread), { limits, log });
}

/** Plans in this thread, one question after the other. */
export function planHere({ limits, log, ...tools }: CreatePlanningOptions & DeskTools): Planning {
  const one = { ...limits, threads: 1 };
  return createPlanning((timetable) => localWorkers(timetable, tools), { limits: one, log });
}

interface Crew {
  readonly timetable: Timetable | null;
  readonly pool: Pool;
}

/**
 * Each timetable has workers of its own. When another takes its place, new workers start for that one, and the old ones
 * end as soon as they have answered what they were asked: so an answer is made from one pair of snapshots, nobody waits
 * for a timetable to be opened in the middle of his question, and what is replaced is given back.
 */
export function createPlanning(
  workersFor: (timetable: Timetable | null) => OpenWorker,
  { limits, log }: CreatePlanningOptions,
): Planning {
  let current: Crew | null = null;
  const leaving = new Map<Crew, Promise<void>>();

  const start = (timetable: Timetable | null): Crew => {
    const crew = { timetable, pool: openPool(workersFor(timetable), limits, log) };
    const before = current;
    current = crew;
    if (before)
      leaving.set(
        before,
        before.pool.drain().finally(() => leaving.delete(before)),
      );
    return crew;
  };
  const crewFor = (held: HeldSnapshot<Published> | null): Crew => {
    // Whoever looks at no timetable asks those who are there.
    if (!held) return current ?? start(null);
    const { timetable } = held.value;
    if (current?.timetable === timetable) return current;
    return [...leaving.keys()].find((crew) => crew.timetable === timetable) ?? start(timetable);
  };
  return {
    answer(task, held, moment) {
      return crewFor(held).pool.ask({ task, realtime: held?.value.realtime ?? null, moment });
    },
    async follow(held) {
      const { pool } = crewFor(held);
      if (held?.value.realtime) pool.follow(held.value.realtime);
      await pool.started;
    },
    isWorking: () => current?.pool.isWorking() ?? true,
    async close() {
      const crews = [...leaving.keys(), ...(current ? [current] : [])];
      await Promise.all(crews.map(({ pool }) => pool.close()));
    },
  };
}
