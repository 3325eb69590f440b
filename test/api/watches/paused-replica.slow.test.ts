import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { NOTHING_EMITTED } from '../../../api/watches/watch.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { startPostgres } from '../../support/fakes/embedded-postgres.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { LIMITS, NOW, orderOf } from './store-cases.ts';

test('a replica that is paused in a transaction blocks the others for seconds only, and stores nothing of it later', async ({
  skip,
}) => {
  const postgres = await startPostgres();
  if (typeof postgres === 'string') return skip(`PostgreSQL cannot run here: ${postgres}`);
  onTestFinished(() => postgres.stop());
  const postgresUrl = await postgres.createDatabase();
  const store = await openWatchStore({ file: '', postgresUrl }, { clock: systemClock, log: silentLog });
  onTestFinished(() => store.close());
  const program = await compileProgram('test/api/watches/pause-program.ts');
  const child = spawn(process.execPath, [program, postgresUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = text(child.stdout);
  while (!(await isStopped(child.pid!))) await setTimeout(10);

  const verdict = { memory: NOTHING_EMITTED, events: [], expiresAt: (NOW + 60) as Instant };
  const put = await store.put(orderOf(), LIMITS, NOW, () => verdict);
  expect(put).not.toBeNull();
  child.kill('SIGCONT');
  // The program itself continues with a new connection.
  expect(await printed).toBe('watch_store_failed stored\n');
  expect(await store.listChanged(0, 10)).toHaveLength(2);
});

async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}
