import { nowInstant } from '../pipeline/effects/clock.ts';
import type { ServiceDate } from '../pipeline/model/service-time.ts';
import { getJob } from './all-jobs.ts';
import { BUILD_SAMPLE_HISTORY, findMissingDays } from './build-sample-history.ts';
import { BUILD_FEATURES, TRAIN_PREDICTIONS } from './learn.ts';
import { runAndTell, type ScheduleRequest } from './schedule.ts';

/** How many days are shown before the others are made. */
const FIRST_DAYS = 4;
/** How many of the newest days are learnt from before the others are made: one more than the least. */
const FIRST_LEARNT_DAYS = 7;

/** A job, with the first day of the past that it is to see to; undefined where it looks for itself. */
type Step = readonly [job: string, from?: ServiceDate];

/**
 * Gives the sample, which is being served by now, the past days that it lacks: first the newest ones, so that there is
 * soon something to see; then so many that a first model can be learnt, which forecasts while the others are made; in
 * the end a better one, of all of them.
 */
export async function giveSampleItsPast(request: ScheduleRequest): Promise<void> {
  const { jobs, config, effects, signal } = request;
  const missing = await findMissingDays(config, nowInstant(effects.clock));
  if (missing.length === 0) return;
  const days = missing.length === 1 ? '1 day' : `${missing.length} days`;
  effects.log.info(`The sample gets its past, ${days} made up in the background; soon /punctuality has figures.`);
  for (const [name, from] of listSteps(missing)) {
    if (signal.aborted) return;
    const options = { ...request.options, ...(from && { from }) };
    await runAndTell(getJob(jobs, name), { ...request, options });
  }
}

/** @param missing newest first */
function listSteps(missing: readonly ServiceDate[]): readonly Step[] {
  const learn: readonly Step[] = [[BUILD_FEATURES], [TRAIN_PREDICTIONS]];
  const steps: Step[] = [];
  if (missing.length > FIRST_DAYS) steps.push([BUILD_SAMPLE_HISTORY, missing[FIRST_DAYS - 1]!], ['build-marts']);
  if (missing.length > FIRST_LEARNT_DAYS) steps.push([BUILD_SAMPLE_HISTORY, missing[FIRST_LEARNT_DAYS - 1]!], ...learn);
  return [...steps, [BUILD_SAMPLE_HISTORY], ['build-marts'], ...learn];
}
