import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deliverPushes } from '../../../api/push/deliver-pushes.ts';
import { CLAIM_SECONDS } from '../../../api/watches/outbox.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { compileProgram } from '../../support/fakes/compiled-program.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import {
  addWatch,
  countOutcomes,
  NOW,
  openReceiver,
  openSender,
  START,
  targetOf,
  VAPID_KEY,
  vapidKeys,
} from './push-cases.ts';

test('a service killed between sending and settling sends again, with the same id', async () => {
  const program = await compileProgram('test/api/push/kill-program.ts');
  const file = path.join(await temporaryFolder(), 'watches.sqlite');
  const clock = fixedClock(START);
  const receiver = await openReceiver();
  const store = await openWatchStore({ file, postgresUrl: null }, { clock, log: silentLog });
  onTestFinished(() => store.close());
  await addWatch(store, targetOf(receiver.subscribe(vapidKeys.publicKey)), 'a');

  const child = spawn(process.execPath, [program, file, VAPID_KEY, START], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await receiver.waitFor(1);
  child.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');

  const { counts, sender } = countOutcomes(openSender({ clock }));
  const delivery = deliverPushes(store, sender, { clock, log: silentLog });
  onTestFinished(() => delivery.stop());
  // Until its claim expires, it may still be in progress.
  expect(await store.claim((NOW + CLAIM_SECONDS - 1) as Instant, 10)).toEqual([]);
  clock.set(new Date((NOW + CLAIM_SECONDS) * 1000).toISOString());
  const [first, second] = await receiver.waitFor(2);
  expect(second!.message).toEqual(first!.message);
  await vi.waitFor(() => expect(counts.delivered).toBe(1), { timeout: 60_000 });
  await delivery.stop();
  expect(await store.claim((NOW + 3000) as Instant, 10)).toEqual([]);
  expect(receiver.faults).toEqual([]);
});
