import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';
import type { PollingRequest, PollThreadInput } from '../../pipeline/realtime/polling/poll-here.ts';
import type { PolledSourceState } from '../../pipeline/realtime/polling/realtime-sink.ts';
import type { Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { ofPoller } from '../job/resources.ts';
import { withLocks } from '../locks/job-lock.ts';
import { chooseRealtime } from './realtime-sources.ts';

/** Name of the job and of the lock that allows one poller per data folder. */
export const POLL_REALTIME = 'poll-realtime';

/** Polls every realtime source once. It has no schedule: `up` and `schedule` poll continuously. */
export function pollRealtimeJob(poll = pollSources): Job {
  return {
    name: POLL_REALTIME,
    summary: 'Polls every realtime source once and publishes the result; up and schedule poll continuously.',
    accepts: ['source'],
    timeoutMinutes: 30,
    listWritten: async ({ config, options }) =>
      config.operations.postgresUrl === null ? [POLL_REALTIME] : ofPoller(chooseRealtime(config, options)),
    run: (context) => pollOnce(poll, context),
  };
}

/**
 * Polls realtime sources and publishes their reports.
 * @returns the states of the sources at the end
 */
export async function pollSources(request: PollingRequest, effects: Effects): Promise<readonly PolledSourceState[]> {
  const { config, sources, rounds, signal } = request;
  if (rounds !== null) {
    const { pollHere } = await import('../../pipeline/realtime/polling/poll-here.ts');
    return pollHere(request, effects);
  }
  // In a thread: applying a country's answers to its timetable takes seconds, which must not block requests.
  const file = moduleUrl('pipeline/realtime/polling/poll-here.js');
  const input = { config, sources };
  return startThread<PollThreadInput, readonly PolledSourceState[]>(file, input, effects, { signal }).result;
}

async function pollOnce(poll: typeof pollSources, { config, effects, options }: JobContext): Promise<JobOutcome> {
  const sources = chooseRealtime(config, options);
  if (sources.length === 0) return { status: 'unchanged', summary: 'no realtime source is configured' };
  if (options.isDryRun) {
    const due = sources.map(({ id }) => ({ what: id, reason: 'polled by every run' }));
    return { status: 'done', summary: `would poll ${sources.length} realtime sources`, due };
  }
  // An interrupted run needs no shutdown: each response is durable once it is applied.
  const { signal } = new AbortController();
  const pollAll = async () => toOutcome(await poll({ config, sources, rounds: 1, signal }, effects));
  if (config.operations.postgresUrl === null) return pollAll();
  // The locks of the run are in the database then; the journal is of this folder, and so is the lock of its poller.
  const { dataDir } = config;
  return withLocks([POLL_REALTIME], { job: POLL_REALTIME, dataDir, clock: effects.clock }, pollAll);
}

/** A run without any answer has failed; the poller retries by itself, so the job does not. */
function toOutcome(states: readonly PolledSourceState[]): JobOutcome {
  const requested = states.filter(({ isStandby }) => !isStandby);
  const answered = requested.filter(({ lastSuccessAt }) => lastSuccessAt !== null);
  const troubles = requested.flatMap(({ id, trouble }) => (trouble === null ? [] : [`${id}: ${trouble}`]));
  const paused = states.filter(({ isStandby }) => isStandby).map(({ id }) => `${id}: on standby`);
  return {
    status: requested.length > 0 && answered.length === 0 ? 'failed' : 'done',
    summary: [`${answered.length} of ${states.length} realtime sources answered`, ...troubles, ...paused].join('; '),
    details: { sources: states.map(({ facts: _facts, ...state }) => state) } as unknown as Json,
  };
}
