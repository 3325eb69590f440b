import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { POLL_REALTIME } from '../definitions/poll-realtime.ts';
import { ofPoller } from '../job/resources.ts';
import { type HeldLocks, holdLocks, type LockRequest } from '../locks/locks.ts';
import { untilLost } from '../locks/until-lost.ts';

/** The claim of one machine to poll some sources. */
export interface PollingLease {
  /** Aborts with ExternalError `job_running` when another machine has taken over while the database was away. */
  readonly givingWay: AbortSignal;
  release(): Promise<void>;
}

/** Wait before a lock that was lost is tried again. */
const RETRY_MILLISECONDS = 30_000;

/**
 * Locks sources in the database that the machines share; without one, all is granted. A database that is away stops no
 * polling: an answer that no poller fetched is lost, while two pollers only publish by conditional writes.
 * @throws ExternalError `job_running` while another machine polls, also other sources
 */
export async function leasePolling(
  sources: readonly Pick<ConfiguredSource, 'id'>[],
  request: Omit<LockRequest, 'job'>,
): Promise<PollingLease> {
  const givingWay = new AbortController();
  if (request.config.operations.postgresUrl === null) return { givingWay: givingWay.signal, release: async () => {} };
  const ending = new AbortController();
  const stopping = request.stopping ? AbortSignal.any([request.stopping, ending.signal]) : ending.signal;
  const hold = () => tryToHold(sources, { ...request, stopping });
  const keeping = keepHeld(await hold(), hold, { ...request, stopping }).catch((error) => givingWay.abort(error));
  return {
    givingWay: givingWay.signal,
    release: async () => {
      ending.abort();
      await keeping;
    },
  };
}

/** @returns null while the database is away. @throws ExternalError `job_running` */
async function tryToHold(
  sources: readonly Pick<ConfiguredSource, 'id'>[],
  request: Omit<LockRequest, 'job'>,
): Promise<HeldLocks | null> {
  try {
    return await holdLocks(ofPoller(sources), { ...request, job: POLL_REALTIME });
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'lock_store_failed') throw error;
    request.effects.log.warn(`${POLL_REALTIME} continues without its lock in the database: ${error.message}`);
    return null;
  }
}

/** Holds the locks, again after each loss, until it is stopped. @throws ExternalError `job_running` */
async function keepHeld(
  first: HeldLocks | null,
  hold: () => Promise<HeldLocks | null>,
  { effects, stopping }: { readonly effects: LockRequest['effects']; readonly stopping: AbortSignal },
): Promise<void> {
  let held = first;
  while (!stopping.aborted) {
    try {
      if (held === null) await effects.sleep(RETRY_MILLISECONDS, stopping);
      else {
        const lost = await untilLost(held, stopping);
        await held.release();
        held = null;
        if (lost !== null) effects.log.warn(`${POLL_REALTIME} continues without its lock in the database: ${lost}`);
      }
      if (stopping.aborted) return;
      held = await hold();
    } catch (error) {
      // A wait that was ended by the stop.
      if (!stopping.aborted) throw error;
    }
  }
  await held?.release();
}
