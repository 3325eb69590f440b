import type { Log } from '../../pipeline/effects/log.ts';
import { serveThread } from '../../pipeline/effects/threads.ts';
import type { RealtimeTables } from '../../pipeline/snapshots/realtime-contract.ts';
import type { TimetableTables } from '../../pipeline/snapshots/timetable-contract.ts';
import { joinWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import { openRealtime, type Realtime } from '../engine/read/realtime.ts';
import { createReferences } from '../engine/read/references.ts';
import { openTimetable } from '../engine/read/timetable.ts';
import { fromPlainTables } from '../plugins/plain-tables.ts';
import {
  HELD_REALTIMES,
  joinSharedTables,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadStart,
  toPlainProblem,
} from './messages.ts';
import { openPlanningService, openTimeLimit, type PlanningService, warmUpPlanning } from './planning-service.ts';

// Entry point of a planner thread: `create-planning.ts` starts it and sends one task at a time.
serveThread<ThreadStart, void, ThreadQuestion, ThreadAnswer>(
  import.meta.url,
  async (start, { effects, answer, reportReady, stopped }) => {
    answer(openAnswers(await openWarmService(start, effects.log), start.cancelled));
    reportReady();
    await stopped;
  },
);

/** Reports progress after each step, for the start limit of `WorkerSlot`. */
async function openWarmService({ timetable: published, ...start }: ThreadStart, log: Log): Promise<PlanningService> {
  const progress = () => log.progress('');
  progress();
  const timetable =
    published &&
    openTimetable({ manifest: published.manifest, tables: fromPlainTables<TimetableTables>(published.tables) });
  progress();
  const service = openPlanningService(timetable, {
    references: createReferences(start.referenceKey),
    walks: start.walks && joinWalkRouter(start.walks),
    sharedTables: joinSharedTables(start.sharedTables),
  });
  progress();
  if (timetable) await warmUpPlanning(service, timetable, start.now, progress);
  return service;
}

function openAnswers(
  service: PlanningService,
  cancelled: Int32Array,
): (question: ThreadQuestion) => Promise<ThreadAnswer> {
  const held = new Map<number, Realtime>();
  let newest: Realtime | null = null;
  return async (message) => {
    if (message.kind === 'realtime') {
      const { number, manifest, tables } = message;
      newest = openRealtime({ manifest, tables: fromPlainTables<RealtimeTables>(tables) }, newest);
      held.set(number, newest);
      held.delete(number - HELD_REALTIMES);
      return null;
    }
    const { number, task, instant, milliseconds } = message;
    const realtime = message.realtime === null ? null : getHeld(held, message.realtime);
    const isLate = openTimeLimit(milliseconds);
    const isSpent = (share?: number) => Atomics.load(cancelled, 0) === number || isLate(share);
    return service.answer({ task, realtime, instant, isSpent }).catch(toPlainProblem);
  };
}

function getHeld(held: ReadonlyMap<number, Realtime>, number: number): Realtime {
  const realtime = held.get(number);
  if (!realtime) throw new Error(`realtime snapshot ${number} is not held`);
  return realtime;
}
