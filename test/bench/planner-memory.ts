import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Published } from '../../api/engine/read/realtime.ts';
import { REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { createThreadPlanning } from '../../api/planning/create-planning.ts';
import type { Planning } from '../../api/planning/planning.ts';
import type { HeldSnapshot } from '../../api/plugins/route-handler.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { type PlannerMemoryInput, warningsOnly } from './child-tasks.ts';
import { BENCH_DAY_START, BENCH_NOW } from './national-questions.ts';
import { listNationalQuestions, toTripRequest } from './planner-questions.ts';

const QUESTIONS_PER_THREAD = 50;
const TIME_LIMIT_SECONDS = 300;

/** @returns resident bytes of a process with one timetable, whose threads have answered 50 questions each */
export async function measureMemory({ dataDir, threads }: PlannerMemoryInput): Promise<number> {
  const timetable = await openPublished(dataDir);
  if (threads === 0) return weighProcess();
  const planning = createThreadPlanning({
    limits: {
      threads,
      maxQueued: threads * QUESTIONS_PER_THREAD,
      timeLimitSeconds: TIME_LIMIT_SECONDS,
      startLimitSeconds: 60,
    },
    log: warningsOnly,
    file: new URL('../../api/planning/planner-thread.js', import.meta.url),
    referenceKey: new Uint8Array(REFERENCE_KEY_BYTES).fill(1),
    walks: null,
    clock: { nowMilliseconds: () => BENCH_NOW * 1000 },
  });
  await planAll(planning, timetable, threads * QUESTIONS_PER_THREAD);
  const bytes = weighProcess();
  await planning.close();
  return bytes;
}

async function openPublished(dataDir: string): Promise<Timetable> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  return openTimetable(await readTimetableSnapshot(dataDir, id));
}

async function planAll(planning: Planning, timetable: Timetable, count: number): Promise<void> {
  const held: HeldSnapshot<Published> = { value: { timetable, realtime: null }, dataVersion: timetable.manifest.id };
  await planning.follow(held);
  const questions = listNationalQuestions(timetable, BENCH_DAY_START, count);
  const tasks = questions.map((question) => ({ kind: 'trips' as const, body: toTripRequest(question) }));
  await Promise.all(tasks.map((task) => planning.answer(task, held, BENCH_NOW)));
}

/** Collects garbage of this thread first; the caches of the other threads count. */
function weighProcess(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) collectGarbage();
  return process.memoryUsage.rss();
}
