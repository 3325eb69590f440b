import type { Timetable } from '../engine/timetable.ts';
import { type DeskTools, openDesk } from './desk.ts';
import type { OpenWorker } from './planner-worker.ts';

/** Answers in this thread, which does nothing else meanwhile: where there are no other threads. */
export function localWorkers(timetable: Timetable | null, tools: DeskTools): OpenWorker {
  return (events) => {
    const desk = openDesk(timetable, tools);
    let hasEnded = false;
    queueMicrotask(() => events.ready());
    return {
      answer({ task, realtime, moment }, milliseconds) {
        const deadline = performance.now() + milliseconds;
        return desk.answer({ task, realtime, moment, isSpent: () => performance.now() >= deadline });
      },
      follow() {},
      async end() {
        if (hasEnded) return;
        hasEnded = true;
        events.ended(new Error('it was told to'));
      },
    };
  };
}
