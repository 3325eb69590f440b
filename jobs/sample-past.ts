import { nowInstant } from '../pipeline/effects/clock.ts';
import { getJob } from './all-jobs.ts';
import { BUILD_SAMPLE_HISTORY, findMissingDays } from './build-sample-history.ts';
import { runAndTell, type ScheduleRequest } from './schedule.ts';

/** How many days are shown before the others are made. */
const FIRST_DAYS = 4;

/**
 * Gives the sample, which is being served by now, the past days that it lacks: first the newest ones, so that there is
 * soon something to see, then the others.
 */
export async function giveSampleItsPast(request: ScheduleRequest): Promise<void> {
  const { jobs, config, effects, signal } = request;
  const missing = await findMissingDays(config, nowInstant(effects.clock));
  if (missing.length === 0) return;
  const days = missing.length === 1 ? '1 day' : `${missing.length} days`;
  effects.log.info(`The sample gets its past, ${days} made up in the background; soon /punctuality has figures.`);
  const steps = missing.length > FIRST_DAYS ? [{ from: missing[FIRST_DAYS - 1]! }, {}] : [{}];
  for (const step of steps) {
    for (const [name, options] of [
      [BUILD_SAMPLE_HISTORY, step],
      ['build-marts', {}],
    ] as const) {
      if (signal.aborted) return;
      await runAndTell(getJob(jobs, name), { ...request, options: { ...request.options, ...options } });
    }
  }
}
