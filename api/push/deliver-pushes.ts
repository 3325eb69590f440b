import { setImmediate as giveWay, setTimeout as wait } from 'node:timers/promises';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { Outbox, PendingPush, Settlement } from '../watches/outbox.ts';
import { openPushLog } from './push-log.ts';
import type { PushSender } from './send-push.ts';
import { settleTogether } from './settle-together.ts';

export interface PushDelivery {
  /** Waits some seconds for attempts under way, then ends them; what is not settled is sent by the next start. */
  stop(): Promise<void>;
}

/** Attempts at a time: a slow push service holds up those of another only when all of them are its own. */
const MAX_UNDER_WAY = 64;
/** Pushes are claimed together, as each claim is a transaction. */
const CLAIMED_AGAIN_BELOW = MAX_UNDER_WAY / 2;

const deliveryTimes = {
  /** Between two looks into the outbox. */
  pollMilliseconds: 1000,
  /** After a failure of the store. */
  pauseMilliseconds: 5000,
  /** Before an outcome that could not be stored is stored again. */
  settleAgainMilliseconds: 1000,
  /** For attempts under way, when it is stopped. */
  graceMilliseconds: 2000,
};

/** Sends what is due in an outbox, until it is stopped. Failures are logged, and what failed is tried again. */
export function deliverPushes(
  outbox: Outbox,
  sender: PushSender,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  times = deliveryTimes,
): PushDelivery {
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const pushLog = openPushLog(log, clock);
  const settle = settleTogether(outbox);

  const rest = (milliseconds: number) =>
    wait(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
  /** A known outcome is not thrown away: the push would be sent again by the next claim. */
  const store = async (settlement: Settlement) => {
    for (;;) {
      try {
        await settle(settlement);
        return;
      } catch (error) {
        pushLog.noteFailure(error);
        await rest(times.settleAgainMilliseconds);
        // After its claim another replica has it, and a process that ends does not wait for its store.
        if (stopping.signal.aborted || nowInstant(clock) >= settlement.claimedUntil) return;
      }
    }
  };
  const deliver = async (push: PendingPush) => {
    const { id, target, claimedUntil } = push;
    try {
      const { outcome, reason } = await sender.send(push);
      if (outcome === 'dropped') pushLog.noteDropped(new URL(target.endpoint).hostname, reason);
      await store({ id, target, claimedUntil, outcome });
    } catch (error) {
      // It is claimed again after a while.
      pushLog.noteFailure(error);
    }
  };
  const start = (push: PendingPush) => {
    const attempt = deliver(push).finally(() => underWay.delete(attempt));
    underWay.add(attempt);
  };
  /** @returns whether there may be more that is due */
  const claim = async (): Promise<boolean> => {
    const room = MAX_UNDER_WAY - underWay.size;
    const claimed = await outbox.claim(nowInstant(clock), room);
    pushLog.noteSuccess();
    for (const push of claimed) {
      // Those that are left are due again when their claim is over.
      if (stopping.signal.aborted) return false;
      start(push);
      // Encrypting takes a quarter of a millisecond: between two, requests have their turn.
      await giveWay();
    }
    return claimed.length === room;
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        const mayBeMore = await claim();
        if (!mayBeMore) await rest(times.pollMilliseconds);
      } catch (error) {
        pushLog.noteFailure(error);
        await rest(times.pauseMilliseconds);
      }
      while (underWay.size >= CLAIMED_AGAIN_BELOW) await Promise.race(underWay);
      pushLog.flush();
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      const ended = running.then(() => Promise.all(underWay));
      await Promise.race([ended, wait(times.graceMilliseconds, undefined, { ref: false })]);
      sender.close();
      await ended;
    },
  };
}
