import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { LockStore } from '../../pipeline/scale-out/leases/lock-store.ts';

/** Fractions of a lease after which it is renewed, and given up if no renewal succeeded, so that the job stops in time. */
const RENEW_PART = 1 / 4;
const GIVE_UP_PART = 3 / 4;

const RELEASE_MILLISECONDS = 3000;

/** A renewed claim on locks of the database. */
export interface Lease {
  readonly token: number;
  /** Aborts with ExternalError `lock_lost`. */
  readonly lost: AbortSignal;
  /**
   * Confirms that the locks are held: from the last renewal if it is recent, otherwise by a query. Fails after the lease
   * was released, so that work that continues after its run publishes nothing.
   * @throws ExternalError `lock_lost`, `lock_store_failed`
   */
  confirm(): Promise<void>;
  /** Releases the locks; if the database is unreachable, they expire. */
  end(): Promise<void>;
}

/**
 * Acquires the locks, and renews them until the end. The age of a renewal counts from before its request and is the
 * longer one by two clocks, because one stops while the machine is suspended and the other jumps when it is set. So the
 * lease ends here no later than in the database.
 * @param acquire returns the token
 */
export async function startLease(
  store: LockStore,
  leaseSeconds: number,
  log: Log,
  acquire: () => Promise<number>,
): Promise<Lease> {
  const controller = new AbortController();
  let confirmed = readClocks();
  const token = await acquire();
  const lose = (reason: string) => {
    if (controller.signal.aborted) return;
    const sentence = `the locks of this run are lost: ${reason}; the next run repeats unpublished work`;
    controller.abort(new ExternalError('lock_lost', sentence, { isRetryable: true }));
  };
  const isTrusted = (part: number) => elapsedSeconds(confirmed) < leaseSeconds * part;
  const renew = async () => {
    if (controller.signal.aborted) return;
    if (!isTrusted(1)) return lose('this process was paused for longer than the lease');
    const requestedAt = readClocks();
    try {
      if (await store.renew(token)) confirmed = requestedAt;
      else lose('the lease has expired in the database');
    } catch (error) {
      if (isTrusted(GIVE_UP_PART)) log.warn(`the locks of this run could not be renewed: ${(error as Error).message}`);
      else lose(`the database did not answer in time: ${(error as Error).message}`);
    }
  };
  // In real time, even if the clock of a replay is faster.
  const renewal = setInterval(() => void renew(), leaseSeconds * RENEW_PART * 1000).unref();
  const watch = setInterval(() => {
    if (!isTrusted(GIVE_UP_PART)) lose('they could not be renewed in time');
  }, leaseSeconds * 100).unref();
  let isReleased = false;
  const assertHeld = () => {
    controller.signal.throwIfAborted();
    // Without the signal: a normal release is not a lost lease.
    if (isReleased) throw new ExternalError('lock_lost', 'the locks of this run are released', { isRetryable: true });
  };
  return {
    token,
    lost: controller.signal,
    confirm: async () => {
      assertHeld();
      if (isTrusted(RENEW_PART * 2)) return;
      if (!(await store.isHeld(token))) lose('the lease has expired in the database');
      assertHeld();
    },
    end: async () => {
      isReleased = true;
      clearInterval(renewal);
      clearInterval(watch);
      const released = store
        .release(token)
        .catch((error: Error) => log.warn(`locks could not be released and will expire: ${error.message}`));
      // An unresponsive database must not block the end of the process.
      await Promise.race([released, wait(RELEASE_MILLISECONDS, undefined, { ref: false })]);
    },
  };
}

interface Clocks {
  readonly monotonic: number;
  readonly wall: number;
}

function readClocks(): Clocks {
  return { monotonic: performance.now(), wall: systemClock.nowMilliseconds() };
}

/** The longer of the times by the two clocks. */
function elapsedSeconds(since: Clocks): number {
  return Math.max(performance.now() - since.monotonic, Math.abs(systemClock.nowMilliseconds() - since.wall)) / 1000;
}
