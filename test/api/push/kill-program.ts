import process from 'node:process';
import { deliverPushes } from '../../../api/push/deliver-pushes.ts';
import { createPushSender } from '../../../api/push/send-push.ts';
import { createSigner } from '../../../api/push/sign-requests.ts';
import { getVapidKeys } from '../../../api/push/vapid-keys.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';

/*
 * The program that `push-kill.slow.test.ts` kills: a service that sends the pushes of a store, and is killed before it
 * settles them.
 */
const [file, vapidKey, start] = process.argv.slice(2) as [string, string, string];
const clock = fixedClock(start);
const store = await openWatchStore({ file, postgresUrl: null }, { clock, log: silentLog });
const sender = createPushSender({
  signRequest: createSigner(await getVapidKeys(vapidKey, ''), 'mailto:ops@example.org'),
  isEndpointAllowed: () => true,
  resolve: () => new Promise(() => {}),
  attemptMilliseconds: 60_000,
  clock,
  random: Math.random,
});
const outbox = { claim: store.claim, settle: () => new Promise<void>(() => {}) };
deliverPushes(outbox, sender, { clock, log: silentLog });
// Until it is killed.
setInterval(() => {}, 1000);
