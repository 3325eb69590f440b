import { parentPort, workerData } from 'node:worker_threads';
import { openWalkRouter } from '../../../pipeline/streets/open-walk-router.ts';

// A thread that tries to open streets itself, which fails: it reports the reason.
try {
  await openWalkRouter(workerData as string);
  parentPort!.postMessage('opened');
} catch (error) {
  parentPort!.postMessage((error as Error).message);
}
