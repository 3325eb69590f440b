import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deliverPushes } from '../../../api/push/deliver-pushes.ts';
import type { PushSender } from '../../../api/push/send-push.ts';
import type { PushOutcome } from '../../../api/watches/outbox.ts';
import { openWatchStore } from '../../../api/watches/store/sql-store.ts';
import { fixedClock, nowInstant } from '../../../pipeline/effects/clock.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import { silentLog } from '../../support/worlds/ingest.ts';
import { addWatch, START } from './push-cases.ts';

/** The responses of a push service to an event: a number of failures, then the final response. */
interface Fate {
  readonly failures: number;
  readonly end: Extract<PushOutcome, string>;
}

const fate: fc.Arbitrary<Fate> = fc.record({
  failures: fc.nat({ max: 2 }),
  end: fc.constantFrom('delivered', 'delivered', 'delivered', 'dropped', 'gone'),
});
/** By event, by watch. */
const fates = fc.array(fc.array(fate, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });

/** The attempts of a watch: each event until its final response, and none after the subscription has ended. */
function expectAttempts(watch: readonly Fate[]): number[] {
  const attempts: number[] = [];
  for (const [event, { failures, end }] of watch.entries()) {
    for (let i = 0; i <= failures; i++) attempts.push(event);
    if (end === 'gone') break;
  }
  return attempts;
}

test('with any responses of push services, events arrive in order, each retried until it is settled', async () => {
  const check = async (watches: readonly (readonly Fate[])[]) => {
    const clock = fixedClock(START);
    const store = await openWatchStore({ file: ':memory:', postgresUrl: null }, { clock, log: silentLog });
    const attempts = watches.map((): number[] => []);
    const sender: PushSender = {
      async send({ payload }) {
        const [watch, event] = (JSON.parse(payload).event.text as string).split(' ').map(Number) as [number, number];
        const { failures, end } = watches[watch]![event]!;
        attempts[watch]!.push(event);
        const isOver = attempts[watch]!.filter((attempted) => attempted === event).length > failures;
        if (isOver) return { outcome: end, reason: '' };
        const retryAt = (nowInstant(clock) + 1) as Instant;
        clock.set(new Date(retryAt * 1000).toISOString());
        return { outcome: { retryAt }, reason: '' };
      },
      close: () => {},
    };
    for (const [i, watch] of watches.entries()) {
      const target = { endpoint: `https://push.example.org/${i}`, p256dh: '', auth: '' };
      await addWatch(store, target, ...watch.map((_, event) => `${i} ${event}`));
    }
    const times = { pollMilliseconds: 1, pauseMilliseconds: 1, settleAgainMilliseconds: 1, graceMilliseconds: 1000 };
    const delivery = deliverPushes(store, sender, { clock, log: silentLog }, times);
    const expected = watches.map(expectAttempts);
    await vi.waitFor(() => expect(attempts).toEqual(expected), { timeout: 90_000, interval: 2 });
    await delivery.stop();
    // Nothing is left, even after every claim has expired.
    expect(await store.claim((nowInstant(clock) + 600) as Instant, 10)).toEqual([]);
    expect(attempts).toEqual(expected);
    await store.close();
  };
  await fc.assert(fc.asyncProperty(fates, check), { numRuns: 40 });
});
