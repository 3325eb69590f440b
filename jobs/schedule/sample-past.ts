import { nowInstant } from '../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { BUILD_SAMPLE_HISTORY, findMissingDays } from '../definitions/build-sample-history.ts';
import { BUILD_FEATURES, TRAIN_PREDICTIONS } from '../definitions/learn.ts';
import { runAndLog } from './run-and-log.ts';
import type { ScheduleRequest } from './schedule.ts';

/** Days that are published before the others are generated. */
const FIRST_DAYS = 4;
/** Newest days that a first model is trained on before the others are generated: one more than the minimum. */
const FIRST_LEARNT_DAYS = 7;

/** A job with the first day that it processes; undefined: the job chooses. */
type Step = readonly [job: string, from?: ServiceDate];

/**
 * Generates the missing past days of the sample while it is served: first the newest, so that the history is soon
 * visible; then enough to train a first model, which forecasts while the others are generated; at last a better model
 * of all days.
 */
export async function buildSamplePast(request: ScheduleRequest): Promise<void> {
  const { jobs, config, effects, signal } = request;
  const missing = await findMissingDays(config, nowInstant(effects.clock));
  if (missing.length === 0) return;
  const days = missing.length === 1 ? '1 day' : `${missing.length} days`;
  effects.log.info(`Generating ${days} of history for the sample in the background; /punctuality will fill soon.`);
  for (const [name, from] of listSteps(missing)) {
    if (signal.aborted) return;
    const options = { ...request.options, ...(from && { from }) };
    await runAndLog(getJob(jobs, name), { ...request, options });
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
