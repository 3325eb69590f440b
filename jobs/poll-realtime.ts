import type { PolledSourceState } from '../pipeline/realtime/polling/realtime-sink.ts';
import type { Job, JobContext, JobOutcome, Json } from './job.ts';
import type { Parts } from './parts.ts';
import { chooseRealtime } from './realtime-sources.ts';

/** Names the job, and the lock that lets only one poller work on a data folder. */
export const POLL_REALTIME = 'poll-realtime';

/** Asks every realtime source once. It has no times: `up` and `schedule` poll all the time. */
export function pollRealtimeJob(parts: Parts): Job {
  return {
    name: POLL_REALTIME,
    summary: 'Asks every realtime source once and publishes what they say; up and schedule do so all the time.',
    accepts: ['source'],
    run: (context) => pollOnce(parts, context),
  };
}

async function pollOnce(parts: Parts, { config, effects, options }: JobContext): Promise<JobOutcome> {
  const sources = chooseRealtime(config, options);
  if (sources.length === 0) return { status: 'unchanged', summary: 'no realtime source is configured' };
  // Whoever interrupts the run leaves it where it is: each answer is durable once it is applied.
  const { signal } = new AbortController();
  return toOutcome(await parts.pollRealtime({ config, sources, rounds: 1, signal }, effects));
}

/** A run in which nobody answered has failed; asking again is the poller's own business, not the job's. */
function toOutcome(states: readonly PolledSourceState[]): JobOutcome {
  const asked = states.filter(({ isStandby }) => !isStandby);
  const answered = asked.filter(({ lastSuccessAt }) => lastSuccessAt !== null);
  const troubles = asked.flatMap(({ id, trouble }) => (trouble === null ? [] : [`${id}: ${trouble}`]));
  const paused = states.filter(({ isStandby }) => isStandby).map(({ id }) => `${id}: on standby`);
  return {
    status: asked.length > 0 && answered.length === 0 ? 'failed' : 'done',
    summary: [`${answered.length} of ${states.length} realtime sources answered`, ...troubles, ...paused].join('; '),
    details: { sources: states.map(({ facts: _facts, ...state }) => state) } as unknown as Json,
  };
}
