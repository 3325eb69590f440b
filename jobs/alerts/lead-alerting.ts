import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { endSoonAfter } from '../job/end-soon-after.ts';
import { holdLocks } from '../locks/locks.ts';
import { untilLost } from '../locks/until-lost.ts';

/** Held while alerts are decided in a folder, and by the one schedule on a database that alerts about the jobs. */
export const SEND_ALERTS = 'send-alerts';

/** The machine that alerts about the jobs; null: not known, as while the database is away. */
export type AlertLeader = 'this' | 'another' | null;

interface Leading {
  findLeader(): AlertLeader;
  /** Resolves when the signal has aborted and the lease is given back. */
  readonly ended: Promise<void>;
}

interface LeadRequest {
  readonly config: Config;
  /** A process that runs no jobs does not see which is late, so it leaves them to a schedule. */
  readonly isScheduling: boolean;
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** Wait before the lease is tried again that another machine holds, or that the database did not give. */
const RETRY_MILLISECONDS = 30_000;

/** A process that stops waits no longer for a silent database: the lease ends by itself. */
const STOP_MILLISECONDS = 5000;

/**
 * Takes part in the choice of the one machine that alerts about the jobs: by a lease, so that another takes over from one that
 * dies. Where no database is shared, it is this one.
 */
export function leadAlerting(request: LeadRequest): Leading {
  const { config, isScheduling } = request;
  if (config.operations.postgresUrl === null) return { findLeader: () => 'this', ended: Promise.resolve() };
  if (!isScheduling) return { findLeader: () => 'another', ended: Promise.resolve() };
  let leader: AlertLeader = null;
  const trying = keepTrying(request, (next) => {
    leader = next;
  });
  const ended = endSoonAfter(trying, request.signal, STOP_MILLISECONDS).catch((error: unknown) => {
    if (!request.signal.aborted) throw error;
  });
  return { findLeader: () => leader, ended };
}

async function keepTrying(request: LeadRequest, note: (leader: AlertLeader) => void): Promise<void> {
  const { effects, signal } = request;
  while (!signal.aborted) {
    try {
      await leadOnce(request, note);
      if (!signal.aborted) await effects.sleep(RETRY_MILLISECONDS, signal);
    } catch (error) {
      // A wait that was ended by the stop.
      if (!signal.aborted) throw error;
    }
  }
}

/** Holds the lease for as long as it can. */
async function leadOnce({ config, effects, signal }: LeadRequest, note: (leader: AlertLeader) => void): Promise<void> {
  try {
    // The jobs say themselves that they cannot reach the database.
    const quiet = { ...effects, log: silentLog };
    const held = await holdLocks([SEND_ALERTS], { job: SEND_ALERTS, config, effects: quiet, stopping: signal });
    note('this');
    await untilLost(held, signal);
    note(null);
    await held.release();
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    note(error.code === 'job_running' ? 'another' : null);
  }
}
