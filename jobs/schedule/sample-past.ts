import { nowInstant } from '../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { getJob } from '../definitions/all-jobs.ts';
import { BUILD_SAMPLE_HISTORY, findMissingDays } from '../definitions/build-sample-history.ts';
import { BUILD_FEATURES, TRAIN_PREDICTIONS } from '../definitions/learn.ts';
import { runAndLog } from './run-and-log.ts';
import type { ScheduleRequest } from './schedule.ts';

/** Days that are published before the others are generated. */
const FIRST_DAYS = 4;
/** Newest days that the first models are trained on: one more than the model of transfers needs. The others follow. */
const FIRST_LEARNT_DAYS = 7;

/** A job with the first day that it processes. */
interface Step {
  readonly job: string;
  /** Absent: the job chooses. */
  readonly from?: ServiceDate;
  /** New content of the pages once it has run. */
  readonly provides?: string;
}

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
  const steps = listSteps(missing);
  const pending = steps.flatMap(({ provides }) => provides ?? []);
  effects.log.info(
    `Generating ${days} of history for the sample in the background. Still to come: ${pending.join('; ')}.`,
  );
  const started = effects.clock.nowMilliseconds();
  for (const { job, from, provides } of steps) {
    if (signal.aborted) return;
    const options = { ...request.options, ...(from && { from }) };
    const result = await runAndLog(getJob(jobs, job), { ...request, options });
    if (provides === undefined || result !== 'ran' || signal.aborted) continue;
    const minutes = ((effects.clock.nowMilliseconds() - started) / 60_000).toFixed(1);
    effects.log.info(`There after ${minutes} min: ${provides}.`);
  }
}

/** @param missing newest first */
function listSteps(missing: readonly ServiceDate[]): readonly Step[] {
  const past = { job: BUILD_SAMPLE_HISTORY };
  const marts = { job: 'build-marts' };
  const features = { job: BUILD_FEATURES };
  const train = { job: TRAIN_PREDICTIONS };
  const steps: Step[] = [];
  if (missing.length > FIRST_DAYS) {
    const provides = `the last ${FIRST_DAYS} days on /punctuality`;
    steps.push({ ...past, from: missing[FIRST_DAYS - 1]! }, { ...marts, provides });
  }
  if (missing.length > FIRST_LEARNT_DAYS) {
    const provides = 'a first model: predictions, /predictions, and chances of changes on /trips';
    steps.push({ ...past, from: missing[FIRST_LEARNT_DAYS - 1]! }, features, { ...train, provides });
  }
  return [
    ...steps,
    past,
    { ...marts, provides: `all ${missing.length} days on /punctuality` },
    features,
    { ...train, provides: 'the model of all days' },
  ];
}
