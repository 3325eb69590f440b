import { nowInstant } from '../pipeline/effects/clock.ts';
import { getJob } from './all-jobs.ts';
import { BUILD_SAMPLE_HISTORY, findMissingDays } from './build-sample-history.ts';
import { BUILD_FEATURES, TRAIN_PREDICTIONS } from './learn.ts';
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
  const past = steps.flatMap((step) => [[BUILD_SAMPLE_HISTORY, step] as const, ['build-marts', {}] as const]);
  // Then there is something to learn from, and trips under way can be forecast.
  for (const [name, options] of [...past, [BUILD_FEATURES, {}] as const, [TRAIN_PREDICTIONS, {}] as const]) {
    if (signal.aborted) return;
    await runAndTell(getJob(jobs, name), { ...request, options: { ...request.options, ...options } });
  }
}
