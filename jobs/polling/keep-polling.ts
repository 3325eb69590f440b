import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { backoffMilliseconds, type RetryPolicy } from '../../pipeline/model/retry-policy.ts';
import { POLL_REALTIME, type pollSources } from '../definitions/poll-realtime.ts';
import { isSample, makeSampleRealtime } from '../definitions/realtime-sources.ts';
import { describeError } from '../job/exit-code.ts';
import { acquireLocks } from '../locks/job-lock.ts';
import { leasePolling, type PollingLease } from './lease-polling.ts';
import type { startSampleUpstream } from './sample-upstream.ts';

/** Functions that tests replace. */
export interface PollingFunctions {
  readonly pollRealtime: typeof pollSources;
  readonly startSampleUpstream: typeof startSampleUpstream;
}

interface PollingUpkeep {
  readonly config: Config;
  readonly functions: PollingFunctions;
  readonly effects: Effects;
  /** Ends the polling, in order. */
  readonly signal: AbortSignal;
}

/** Wait before the lock of another process is tried again. */
const LOCKED_WAIT_MILLISECONDS = 30_000;
const crashRestart: RetryPolicy = { firstWaitMilliseconds: 1000, factor: 2, maxWaitMilliseconds: 60_000 };
/** A poller that ran this long did not fail at its start: the waits are reset. */
const STEADY_MILLISECONDS = 10 * 60_000;

/**
 * Polls the realtime sources until the signal aborts. Where nothing is configured and the sample is served, they are
 * those of a simulated upstream in this process. Errors are logged and never thrown: the api keeps serving.
 */
export async function keepRealtimeFresh(upkeep: PollingUpkeep, { isSampleServed = false } = {}): Promise<void> {
  const { config, effects } = upkeep;
  if (!config.polling.isEnabled) return;
  if (config.realtime.length > 0) return keepPolling(upkeep, config.realtime);
  if (!isSampleServed || !isSample(config)) return;
  try {
    await pollSample(upkeep);
  } catch (error) {
    effects.log.warn(`the sample has no realtime: ${describe(error)}`);
  }
}

/** The sources that `keepRealtimeFresh` polls; those of the sample have no address before their upstream runs. */
export async function listPolled(
  config: Config,
  { isSampleServed = false } = {},
): Promise<readonly ConfiguredSource[]> {
  if (!config.polling.isEnabled || config.realtime.length > 0) return config.realtime;
  return isSampleServed && isSample(config) ? makeSampleRealtime('http://localhost') : [];
}

async function pollSample(upkeep: PollingUpkeep): Promise<void> {
  const upstream = await upkeep.functions.startSampleUpstream(upkeep.effects);
  try {
    await keepPolling(upkeep, await makeSampleRealtime(upstream.url));
  } finally {
    await upstream.close();
  }
}

/** Polls, and restarts after a crash with growing waits; waits while another process polls the same folder or sources. */
async function keepPolling(upkeep: PollingUpkeep, sources: readonly ConfiguredSource[]): Promise<void> {
  const { effects, signal } = upkeep;
  let lastLogged = '';
  let crashes = 0;
  while (!signal.aborted) {
    const started = effects.clock.nowMilliseconds();
    try {
      await pollUnderLock(upkeep, sources);
      return;
    } catch (error) {
      if (signal.aborted) {
        if (error !== signal.reason) effects.log.warn(`${POLL_REALTIME}: ${describe(error)}`);
        return;
      }
      const isLocked = error instanceof ExternalError && error.code === 'job_running';
      crashes = effects.clock.nowMilliseconds() - started > STEADY_MILLISECONDS ? 1 : crashes + 1;
      const wait = isLocked ? LOCKED_WAIT_MILLISECONDS : backoffMilliseconds(crashRestart, crashes);
      const sentence = describe(error);
      // A crash is logged every time, a lock once.
      if (!isLocked || sentence !== lastLogged)
        effects.log.warn(`${POLL_REALTIME}: ${sentence}; retrying in ${wait / 1000} s`);
      lastLogged = sentence;
      await sleepUnlessAborted(wait, upkeep);
    }
  }
}

async function pollUnderLock(
  { config, functions, effects, signal }: PollingUpkeep,
  sources: readonly ConfiguredSource[],
) {
  // The file protects the journal of this folder, also while the database is away.
  const lock = await acquireLocks(config.dataDir, POLL_REALTIME, [POLL_REALTIME], effects.clock);
  let lease: PollingLease | null = null;
  try {
    lease = await leasePolling(sources, { config, effects, stopping: signal });
    const { givingWay } = lease;
    effects.log.info(`${POLL_REALTIME}: polling ${sources.map(({ id }) => id).join(', ')}`);
    const poll = async () => {
      const ended = AbortSignal.any([signal, givingWay]);
      await functions.pollRealtime({ config, sources, rounds: null, signal: ended }, effects);
      if (!signal.aborted) givingWay.throwIfAborted();
    };
    if (config.store.url === null) await poll();
    else await (await import('./publish-polled.ts')).publishWhile({ config, sources, effects }, poll);
  } finally {
    await lease?.release();
    await lock.release();
  }
}

async function sleepUnlessAborted(milliseconds: number, { effects, signal }: PollingUpkeep): Promise<void> {
  try {
    await effects.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function describe(error: unknown): string {
  const { sentence, isBug } = describeError(error);
  return isBug ? ((error as Error).stack ?? sentence) : sentence;
}
