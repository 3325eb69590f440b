import { setImmediate as giveWay, setTimeout as wait } from 'node:timers/promises';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { Outbox, PendingPush, Settlement } from '../watches/outbox.ts';
import { openPushLog, type PushLog } from './push-log.ts';
import type { PushSender } from './send-push.ts';
import { settleTogether } from './settle-together.ts';

export interface PushDelivery {
  /** Waits some seconds for attempts under way, then aborts them; unsettled pushes are sent after the next start. */
  stop(): Promise<void>;
}

/** Concurrent attempts: a slow push service delays others only if all attempts are its own. */
const MAX_UNDER_WAY = 64;
/** Pushes are claimed together, as each claim is a transaction. */
const CLAIMED_AGAIN_BELOW = MAX_UNDER_WAY / 2;

const deliveryTimes = {
  /** Interval of polling the outbox. */
  pollMilliseconds: 1000,
  /** Wait after a failure of the store. */
  pauseMilliseconds: 5000,
  /** Wait before an outcome is stored again. */
  settleAgainMilliseconds: 1000,
  /** Time limit of attempts under way after a stop. */
  graceMilliseconds: 2000,
};

/** Sends the due pushes of an outbox until it is stopped. Failures are logged, and failed pushes are sent again. */
export function deliverPushes(
  outbox: Outbox,
  sender: PushSender,
  effects: { readonly clock: Clock; readonly log: Log },
  times = deliveryTimes,
): PushDelivery {
  const delivery = new OutboxDelivery(outbox, sender, effects, times);
  return { stop: () => delivery.stop() };
}

class OutboxDelivery {
  readonly #outbox: Outbox;
  readonly #sender: PushSender;
  readonly #clock: Clock;
  readonly #times: typeof deliveryTimes;
  readonly #log: PushLog;
  readonly #settle: (settlement: Settlement) => Promise<void>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    outbox: Outbox,
    sender: PushSender,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
    times: typeof deliveryTimes,
  ) {
    this.#outbox = outbox;
    this.#sender = sender;
    this.#clock = clock;
    this.#times = times;
    this.#log = openPushLog(log, clock);
    this.#settle = settleTogether(outbox);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const ended = this.#running.then(() => Promise.all(this.#underWay));
    await Promise.race([ended, wait(this.#times.graceMilliseconds, undefined, { ref: false })]);
    this.#sender.close();
    await ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const mayBeMore = await this.#claim();
        if (!mayBeMore) await this.#rest(this.#times.pollMilliseconds);
      } catch (error) {
        this.#log.noteFailure(error);
        await this.#rest(this.#times.pauseMilliseconds);
      }
      while (this.#underWay.size >= CLAIMED_AGAIN_BELOW) await Promise.race(this.#underWay);
      this.#log.flush();
    }
  }

  /** @returns whether more pushes may be due */
  async #claim(): Promise<boolean> {
    const room = MAX_UNDER_WAY - this.#underWay.size;
    const claimed = await this.#outbox.claim(nowInstant(this.#clock), room);
    this.#log.noteSuccess();
    for (const push of claimed) {
      // The remaining ones are due again when their claim expires.
      if (this.#stopping.signal.aborted) return false;
      this.#start(push);
      // Encryption takes a quarter of a millisecond: requests may run in between.
      await giveWay();
    }
    return claimed.length === room;
  }

  #start(push: PendingPush): void {
    const attempt = this.#deliver(push).finally(() => this.#underWay.delete(attempt));
    this.#underWay.add(attempt);
  }

  async #deliver(push: PendingPush): Promise<void> {
    const { id, target, claimedUntil } = push;
    try {
      const { outcome, reason } = await this.#sender.send(push);
      if (outcome === 'dropped') this.#log.noteDropped(new URL(target.endpoint).hostname, reason);
      await this.#store({ id, target, claimedUntil, outcome });
    } catch (error) {
      // It is sent again when its claim expires.
      this.#log.noteFailure(error);
    }
  }

  /** Retries until the outcome is stored: without it, the next claim would send the push again. */
  async #store(settlement: Settlement): Promise<void> {
    for (;;) {
      try {
        await this.#settle(settlement);
        return;
      } catch (error) {
        this.#log.noteFailure(error);
        await this.#rest(this.#times.settleAgainMilliseconds);
        // Once the claim has expired, another replica sends the push; a stopping process does not wait for its store.
        if (this.#stopping.signal.aborted || nowInstant(this.#clock) >= settlement.claimedUntil) return;
      }
    }
  }

  #rest(milliseconds: number): Promise<void> {
    return wait(milliseconds, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
  }
}
