import { parentPort, workerData } from 'node:worker_threads';
import type { RealtimeTables } from '../../pipeline/realtime/snapshot/realtime-contract.ts';
import { joinWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { TimetableTables } from '../../pipeline/timetable/snapshot/contract.ts';
import { openRealtime, type Realtime } from '../engine/read/realtime.ts';
import { createReferences } from '../engine/read/references.ts';
import { openTimetable, type Timetable } from '../engine/read/timetable.ts';
import { type Desk, openDesk, warmUpDesk } from './answer-job.ts';
import {
  type FromThread,
  fromPlainTables,
  HELD_REALTIMES,
  joinWorkshop,
  type ThreadStart,
  type ToThread,
  toRefusal,
} from './messages.ts';

// The inside of a planner thread: `thread-worker.ts` starts it, and asks one question at a time.

const port = parentPort;
if (!port) throw new Error('this file is the inside of a thread');
const { referenceKey, now, walks, workshop, timetable: published } = workerData as ThreadStart;
const post = (message: FromThread, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, transfer);
const progress = () => post({ kind: 'progress' });
progress();

const timetable: Timetable | null =
  published &&
  openTimetable({ manifest: published.manifest, tables: fromPlainTables<TimetableTables>(published.tables) });
progress();
const desk = openDesk(timetable, {
  references: createReferences(referenceKey),
  walks: walks && joinWalkRouter(walks),
  workshop: joinWorkshop(workshop),
});
progress();
if (timetable) await warmUpDesk(desk, timetable, now, progress);
serve(desk);

function serve(desk: Desk): void {
  const held = new Map<number, Realtime>();
  let newest: Realtime | null = null;
  const take = ({ number, manifest, tables }: Extract<ToThread, { kind: 'realtime' }>) => {
    newest = openRealtime({ manifest, tables: fromPlainTables<RealtimeTables>(tables) }, newest);
    held.set(number, newest);
    held.delete(number - HELD_REALTIMES);
  };
  const answer = async (question: Extract<ToThread, { kind: 'question' }>) => {
    const { task, realtime, moment, milliseconds } = question;
    const deadline = performance.now() + milliseconds;
    try {
      const bytes = await desk.answer({
        task,
        realtime: realtime === null ? null : getHeld(held, realtime),
        moment,
        isSpent: () => performance.now() >= deadline,
      });
      post({ kind: 'answer', bytes }, [bytes.buffer]);
    } catch (error) {
      post(toRefusal(error));
    }
  };
  port!.on('message', (message: ToThread) => {
    if (message.kind === 'realtime') take(message);
    else void answer(message);
  });
  post({ kind: 'ready' });
}

function getHeld(held: ReadonlyMap<number, Realtime>, number: number): Realtime {
  const realtime = held.get(number);
  if (!realtime) throw new Error(`realtime snapshot ${number} is not held`);
  return realtime;
}
