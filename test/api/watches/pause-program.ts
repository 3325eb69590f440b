import process from 'node:process';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { NOTHING_EMITTED, type WatchSpec } from '../../../api/watches/watch.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';

/*
 * The program that `paused-replica.slow.test.ts` resumes: a replica that the system stops in the middle of a
 * transaction, which holds the lock of all writes. Prints the result of that transaction and of the next one.
 */
const [postgresUrl] = process.argv.slice(2) as [string];
const store = await openWatchStore({ file: '', postgresUrl }, { clock: systemClock, log: silentLog });
const now = Math.floor(Date.now() / 1000) as Instant;
const limits = { maxTotal: 9, maxPerAddress: 9, maxPerToken: 9 };
const spec: WatchSpec = { kind: 'line', lines: [{ label: 'S1' }], stopIds: [] };
const order = { id: null, spec, target: null, owner: 'o', address: 'a' };
const verdict = { memory: NOTHING_EMITTED, events: [], expiresAt: (now + 60) as Instant };

async function put(judge: () => void): Promise<string> {
  try {
    await store.put(order, limits, now, () => {
      judge();
      return verdict;
    });
    return 'stored';
  } catch (error) {
    return error instanceof ExternalError ? error.code : String(error);
  }
}

const paused = await put(() => process.kill(process.pid, 'SIGSTOP'));
const next = await put(() => {});
process.stdout.write(`${paused} ${next}\n`);
await store.close();
