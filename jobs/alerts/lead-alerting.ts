import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { endSoonAfter } from '../job/end-soon-after.ts';
import { holdLocks } from '../locks/locks.ts';
import { untilLost } from '../locks/until-lost.ts';

/** Lock of the process that decides notifications in a folder, and of the one schedule on a database that reports jobs. */
export const SEND_ALERTS = 'send-alerts';

/** The machine that alerts about the jobs; null while it is not known, e.g. while the database is unreachable. */
export type AlertLeader = 'this' | 'another' | null;

interface Leading {
  findLeader(): AlertLeader;
  /** Resolves when the signal has aborted and the lease is released. */
  readonly ended: Promise<void>;
}

interface LeadRequest {
  readonly config: Config;
  /** A process that runs no jobs cannot see which are late, so it leaves them to a schedule. */
  readonly isScheduling: boolean;
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** Wait before the next attempt at a lease that another machine holds or that the database could not grant. */
const RETRY_MILLISECONDS = 30_000;

/** How long a stopping process waits for an unresponsive database; the lease then expires. */
const STOP_MILLISECONDS = 5000;

/**
 * Competes for the lease of the one machine that alerts about the jobs, so that another takes over when it dies. Without
 * a shared database, that is this machine.
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
      // The stop ended the wait.
      if (!signal.aborted) throw error;
    }
  }
}

/** Holds the lease for as long as it can. */
async function leadOnce({ config, effects, signal }: LeadRequest, note: (leader: AlertLeader) => void): Promise<void> {
  try {
    // The jobs already log that they cannot reach the database.
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
