import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { LockStore } from '../../pipeline/scale-out/leases/lock-store.ts';

/** Parts of a lease: it is renewed after the first, and given up before its end, so that the job stops in time. */
const RENEW_PART = 1 / 4;
const GIVE_UP_PART = 3 / 4;

const RELEASE_MILLISECONDS = 3000;

/** A renewed claim on locks of the database. */
export interface Lease {
  readonly token: number;
  /** Aborts with ExternalError `lock_lost`. */
  readonly lost: AbortSignal;
  /**
   * Makes sure that the locks are held: by the last renewal if it is recent, else by a query of the database. After the
   * end of the lease it fails: work that outlasts its run publishes nothing more.
   * @throws ExternalError `lock_lost`, `lock_store_failed`
   */
  confirm(): Promise<void>;
  /** Releases the locks; a database that is away lets them end by themselves. */
  end(): Promise<void>;
}

/**
 * Acquires and keeps renewing. The holder counts from before its request, by two clocks, so it never believes longer in the
 * lease than the database does: one stops while the machine is suspended, the other jumps when it is set.
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
    const sentence = `the locks of this run are lost, as ${reason}; what it had not published is left to the next run`;
    controller.abort(new ExternalError('lock_lost', sentence, { isRetryable: true }));
  };
  const isTrusted = (part: number) => elapsedSeconds(confirmed) < leaseSeconds * part;
  const renew = async () => {
    if (controller.signal.aborted) return;
    if (!isTrusted(1)) return lose('this process stood still for longer than their lease');
    const requestedAt = readClocks();
    try {
      if (await store.renew(token)) confirmed = requestedAt;
      else lose('their lease has ended in the database');
    } catch (error) {
      if (isTrusted(GIVE_UP_PART)) log.warn(`the locks of this run could not be renewed: ${(error as Error).message}`);
      else lose(`the database did not answer in time: ${(error as Error).message}`);
    }
  };
  // Real time, even where a replay's clock runs faster.
  const renewal = setInterval(() => void renew(), leaseSeconds * RENEW_PART * 1000).unref();
  const watch = setInterval(() => {
    if (!isTrusted(GIVE_UP_PART)) lose('they could not be renewed in time');
  }, leaseSeconds * 100).unref();
  let isReleased = false;
  const assertHeld = () => {
    controller.signal.throwIfAborted();
    // Not by the signal: an orderly end is no loss.
    if (isReleased) throw new ExternalError('lock_lost', 'the locks of this run are released', { isRetryable: true });
  };
  return {
    token,
    lost: controller.signal,
    confirm: async () => {
      assertHeld();
      if (isTrusted(RENEW_PART * 2)) return;
      if (!(await store.isHeld(token))) lose('their lease has ended in the database');
      assertHeld();
    },
    end: async () => {
      isReleased = true;
      clearInterval(renewal);
      clearInterval(watch);
      const released = store
        .release(token)
        .catch((error: Error) => log.warn(`locks are left to end: ${error.message}`));
      // A silent database would hold up a process that ends.
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

/** The longer of what the two clocks say. */
function elapsedSeconds(since: Clocks): number {
  return Math.max(performance.now() - since.monotonic, Math.abs(systemClock.nowMilliseconds() - since.wall)) / 1000;
}
