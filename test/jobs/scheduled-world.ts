import { onTestFinished } from 'vitest';
import { type Job, noOptions } from '../../jobs/job/job.ts';
import type { JobRunner, RunResult } from '../../jobs/schedule/run-and-log.ts';
import { runSchedule } from '../../jobs/schedule/schedule.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { terminalLog } from '../../pipeline/effects/log.ts';
import { noCounts } from '../../pipeline/operations/job-run.ts';
import { openRunHistory, type RunEnd, type RunHistory } from '../../pipeline/operations/run-history.ts';
import { type VirtualTime, virtualTime } from '../support/fakes/virtual-time.ts';

/** The course of a run of a scheduled job. */
export interface PlannedRun {
  readonly seconds: number;
  readonly end?: Partial<RunEnd>;
  /**
   * `lost`: its process ends without recording it; `busy`: it cannot start; `unrecorded`: it fails temporarily without
   * a record in the history.
   */
  readonly fate?: 'ends' | 'lost' | 'busy' | 'unrecorded';
}

export interface ScheduledWorld {
  readonly time: VirtualTime;
  readonly history: RunHistory;
  /** Starts in their order: `<time> <job>`. */
  readonly started: string[];
  logged(): string;
  /**
   * Starts the schedule, as a process does.
   * @returns a function that ends it
   */
  start(): () => Promise<void>;
}

/**
 * A schedule whose time passes only in `time.run`, with a real history, in a file or in memory, and runs of given
 * durations.
 */
export async function scheduledWorld(
  jobs: readonly Job[],
  { config, startIso, file = ':memory:' }: { config: Config; startIso: string; file?: string },
  plan: (job: string, count: number) => PlannedRun = () => ({ seconds: 60 }),
): Promise<ScheduledWorld> {
  const time = virtualTime(startIso, settle);
  let logged = '';
  const log = terminalLog({
    write: (text) => {
      logged += text;
    },
  });
  const history = await openRunHistory({ file, postgresUrl: null }, { clock: time.clock, log });
  onTestFinished(() => history.close());
  const effects = { clock: time.clock, log, sleep: time.sleep, http: () => Promise.reject(new Error('no net')) };
  const started: string[] = [];
  const counts = new Map<string, number>();
  const start = () => {
    const stop = new AbortController();
    const run = async (job: Job): Promise<RunResult> => {
      const count = (counts.get(job.name) ?? 0) + 1;
      counts.set(job.name, count);
      const { seconds, end, fate = 'ends' } = plan(job.name, count);
      if (fate === 'busy') return 'busy';
      started.push(`${new Date(time.clock.nowMilliseconds()).toISOString()} ${job.name}`);
      if (fate === 'unrecorded') {
        await time.sleep(seconds * 1000, stop.signal);
        return 'failedForNow';
      }
      const number = await history.begin({ job: job.name, arguments: '', runBy: 'schedule' });
      const isStopped = await time.sleep(seconds * 1000, stop.signal).then(
        () => false,
        () => true,
      );
      if (fate === 'ends') await history.end(number, isStopped ? stoppedEnd : { ...goodEnd, ...end });
      return 'ran';
    };
    const runner: JobRunner = { listRuns: (job) => history.listRuns(job.name, 50), run };
    const ended = runSchedule({ jobs, config, effects, options: noOptions, signal: stop.signal }, runner);
    return async () => {
      stop.abort(new Error('stopped'));
      await ended;
    };
  };
  return { time, history, started, logged: () => logged, start };
}

const goodEnd: RunEnd = {
  state: 'done',
  attempts: 1,
  isRetryable: false,
  summary: 'done',
  counts: noCounts,
  peakMemoryBytes: null,
};
const stoppedEnd: RunEnd = { ...goodEnd, state: 'stopped', attempts: null, summary: 'stopped before its end' };

/** The store in memory or in a file of this process responds without waiting: there are only promises in between. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
