import { nowInstant } from '../../pipeline/effects/clock.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import { moduleUrl } from '../../pipeline/effects/project-files.ts';
import { startThread } from '../../pipeline/effects/threads.ts';
import { listStopEventDays } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, localDate } from '../../pipeline/model/service-time.ts';
import type { RunCounts } from '../../pipeline/operations/job-run.ts';
import { implausibleCodes } from '../../pipeline/predictions/features/implausible-calls.ts';
import type { FeatureOutcome } from '../../pipeline/predictions/learning/build-source-features.ts';
import type { LearnOutcome, LearnRequest } from '../../pipeline/predictions/learning/learn-source.ts';
import type { ModelManifest } from '../../pipeline/predictions/learning/model-store.ts';
import type { TrainOutcome } from '../../pipeline/predictions/learning/train-source.ts';
import type { Job, JobContext, JobOutcome, Json } from '../job/job.ts';
import { chooseSources } from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { sumCounts } from '../job/sum-counts.ts';
import { countFeatureBytes, countModelBytes } from './published-bytes.ts';

export const BUILD_FEATURES = 'build-features';
export const TRAIN_PREDICTIONS = 'train-predictions';

/** A record whose last day is older is used for training only when its source is named. */
export const RECENT_DAYS = 14;

/** Builds the training data of predictions. */
export function buildFeaturesJob(learn = learnInThread): Job {
  return {
    name: BUILD_FEATURES,
    summary: 'Builds training data for predictions: the state known at past instants, and what was observed later.',
    accepts: ['source', 'date', 'force'],
    notDivisibleReason: 'its features cover one window of days, and each day depends on those before it',
    schedule: (config) => config.schedule.buildFeatures,
    follows: ['finalise-stop-events'],
    listWritten: async (context) => ofSources('features', await listSources(context)),
    run: (context) => buildFeatures(learn, context),
  };
}

/** Trains the models that forecast delays. */
export function trainPredictionsJob(learn = learnInThread): Job {
  return {
    name: TRAIN_PREDICTIONS,
    summary: 'Trains the prediction models. A model that is worse than its predecessor on the last days is not used.',
    accepts: ['source', 'force'],
    notDivisibleReason: 'it trains one model per source, on all days of its features together',
    schedule: (config) => config.schedule.trainPredictions,
    follows: [BUILD_FEATURES],
    timeoutMinutes: 480,
    listWritten: async (context) => ofSources('models', await listSources(context)),
    run: (context) => trainPredictions(learn, context),
  };
}

/** Builds features of past days, or trains on them; the signal ends it. */
function learnInThread(request: LearnRequest, effects: Effects, signal?: AbortSignal): Promise<LearnOutcome> {
  const file = moduleUrl('pipeline/predictions/learning/learn-source.js');
  return startThread<LearnRequest, LearnOutcome>(file, request, effects, { signal }).result;
}

async function buildFeatures(learn: typeof learnInThread, context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const outcomes = new Map<SourceId, FeatureOutcome>();
  for (const source of await listSources(context)) {
    effects.log.progress(`${BUILD_FEATURES}: ${source}`);
    const request = {
      step: 'features' as const,
      dataDir: config.dataDir,
      settings: config.ingest,
      source,
      lastDay: options.date,
      isForced: options.isForced,
      isDryRun: options.isDryRun,
      builtAt: new Date(effects.clock.nowMilliseconds()).toISOString(),
    };
    outcomes.set(source, (await learn(request, effects, context.stopping)) as FeatureOutcome);
  }
  const built = [...outcomes].flatMap(([source, { kind }]) => (kind === 'built' ? [source] : []));
  const bytesWritten = await countFeatureBytes(config.dataDir, built);
  const counts = { ...sumCounts([...outcomes.values()].map(countFeatures)), bytesWritten };
  return { ...toOutcome(outcomes, describeFeatures, 'its record has changed'), counts };
}

async function trainPredictions(learn: typeof learnInThread, context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const outcomes = new Map<SourceId, TrainOutcome>();
  for (const source of await listSources(context)) {
    effects.log.progress(`${TRAIN_PREDICTIONS}: ${source}`);
    const request = {
      step: 'train' as const,
      dataDir: config.dataDir,
      settings: config.ingest,
      source,
      isForced: options.isForced,
      isDryRun: options.isDryRun,
      trainedAt: new Date(effects.clock.nowMilliseconds()).toISOString(),
    };
    outcomes.set(source, (await learn(request, effects, context.stopping)) as TrainOutcome);
  }
  const trained = [...outcomes].flatMap(([source, outcome]) =>
    outcome.kind === 'trained' ? [countModelBytes(config.dataDir, source, outcome.manifest.id)] : [],
  );
  const bytesWritten = (await Promise.all(trained)).reduce((sum, bytes) => sum + bytes, 0);
  return { ...toOutcome(outcomes, describeModel, 'its features are newer than its model'), counts: { bytesWritten } };
}

/** Sources whose record is continued, or those that are named. */
async function listSources({ config, effects, options }: JobContext): Promise<readonly SourceId[]> {
  const recent = addDays(localDate(nowInstant(effects.clock), 'UTC'), -RECENT_DAYS);
  const days = await listStopEventDays(config.dataDir);
  const wanted = options.sourceIds ? days : days.filter(({ serviceDate }) => serviceDate >= recent);
  return chooseSources(
    options,
    wanted.map(({ source }) => source),
  );
}

function toOutcome<Outcome extends { readonly kind: string }>(
  outcomes: ReadonlyMap<SourceId, Outcome>,
  describe: (outcome: Outcome) => string,
  dueReason: string,
): JobOutcome {
  const isDone = [...outcomes.values()].some(({ kind }) => kind !== 'unchanged' && kind !== 'unfit');
  const sentences = [...outcomes].map(([source, outcome]) => `${source}: ${describe(outcome)}`);
  return {
    status: isDone ? 'done' : 'unchanged',
    summary: sentences.length === 0 ? 'no source has a recent record' : sentences.join('; '),
    details: Object.fromEntries(outcomes) as unknown as Json,
    due: [...outcomes].flatMap(([source, { kind }]) => (kind === 'due' ? [{ what: source, reason: dueReason }] : [])),
  };
}

function countFeatures(outcome: FeatureOutcome): Partial<RunCounts> {
  if (outcome.kind !== 'built') return {};
  const { rows, implausible } = outcome.manifest;
  return { rowsOut: rows.learn + rows.judge + rows.compare, problems: implausible };
}

function describeFeatures(outcome: FeatureOutcome): string {
  if (outcome.kind === 'unfit') return `not enough data, ${outcome.reason}`;
  if (outcome.kind === 'due') return `would make features of ${outcome.days} days`;
  const { rows, firstDay, lastDay, implausible } = outcome.manifest;
  const count = (rows.learn + rows.judge + rows.compare).toLocaleString('en');
  const leftOut = implausibleCodes.flatMap((code) => (implausible[code] > 0 ? [`${implausible[code]} ${code}`] : []));
  const without = leftOut.length === 0 ? '' : `, calls left out: ${leftOut.join(', ')}`;
  const made = `${count} rows of ${firstDay} to ${lastDay}${without}`;
  return outcome.kind === 'unchanged' ? `${made}, as before` : made;
}

function describeModel(outcome: TrainOutcome): string {
  if (outcome.kind === 'unfit') return 'no features; run build-features';
  if (outcome.kind === 'due') return 'would train a model';
  const { id, comparison } = outcome.manifest;
  if (outcome.kind === 'unchanged') return `model ${id} as before`;
  const { trained, before, persistence, kept } = comparison;
  const error = `MAE ${trained.toFixed(1)} s (persistence baseline: ${persistence.toFixed(1)} s)`;
  const described = `${error}, ${describeTransfers(outcome.manifest)}`;
  if (before === null) return `model ${id}, ${described}`;
  const other = `the previous model ${before.toFixed(1)} s`;
  return kept === 'before'
    ? `new model: ${described}; ${other}, and remains in use as ${id}`
    : `model ${id}, ${described}, ${other}`;
}

function describeTransfers({ transfers }: ModelManifest): string {
  if (!transfers) return 'too few transfers to learn from';
  return `transfers learnt from ${transfers.learntCases.toLocaleString('en')} cases`;
}
