import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../pipeline/config/load-config.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { syncFolder } from '../../pipeline/effects/files.ts';
import { assertMayPublish } from '../../pipeline/effects/publication-guard.ts';
import { withTemporaryFolder } from '../../pipeline/effects/temporary-folders.ts';
import {
  findStopEventManifest,
  listHalfReplacedDays,
  listStopEventDays,
  listStopEventSources,
} from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { findDeletionTime, noteDeletionTime } from '../../pipeline/lake/deletion-clock.ts';
import {
  listObservationFiles,
  listObservedDates,
  listObservedSources,
} from '../../pipeline/lake/observations/partition-files.ts';
import { observationPartition, predictionPartition, workFolder } from '../../pipeline/lake/paths.ts';
import { isAhead } from '../../pipeline/model/clock-tolerance.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { DueWork, Job, JobContext, JobOutcome, Resource } from '../job/job.ts';
import { MARTS, ofSources, PREDICTION_METRICS } from '../job/resources.ts';
import { withJobLocks } from '../locks/locks.ts';
import { RECENT_DAYS, TRAIN_PREDICTIONS } from './learn.ts';

const DROP_OLD_DAYS = 'drop-old-days';

/** Drops days that are older than their retention. */
export function dropOldDaysJob(): Job {
  return {
    name: DROP_OLD_DAYS,
    summary: 'Drops observations, stop events, predictions and features older than their retention.',
    accepts: ['source'],
    schedule: (config) => config.schedule.dropOldDays,
    follows: ['compact-observations', 'finalise-stop-events', 'build-marts', TRAIN_PREDICTIONS, 'evaluate-predictions'],
    run: dropOldDays,
  };
}

/** The job runs daily: after a clock jump ahead, it ages the data by at most two days. */
const MAX_DROP_GAP_SECONDS = 2 * 86_400;

/**
 * What is dropped, and what is written by jobs that read it: they would take a half-dropped day for one with little
 * data.
 */
async function listTouched({ config }: JobContext): Promise<Resource[]> {
  const observed = await listObservedSources(config.dataDir);
  const finalised = await listStopEventSources(config.dataDir);
  const sources = [...new Set([...observed, ...finalised])];
  return [...ofSources('observations', sources), ...ofSources('stop-events', sources), MARTS, PREDICTION_METRICS];
}

interface OldDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

interface Dropped {
  readonly observations: readonly OldDay[];
  readonly stopEvents: readonly OldDay[];
  readonly predictions: readonly OldDay[];
  /** Sources whose training data was dropped. */
  readonly features: readonly SourceId[];
  /** Per source the oldest expired day that has not become stop events yet. */
  readonly waiting: readonly OldDay[];
}

async function dropOldDays(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  if (Object.values(config.retention).every((days) => days === 0)) {
    return { status: 'unchanged', summary: 'all days are kept forever, by configuration' };
  }
  const holder = { job: DROP_OLD_DAYS, config, effects };
  return withJobLocks(options.isDryRun ? [] : await listTouched(context), holder, async () => {
    const now = nowInstant(effects.clock);
    const instant = await findDeletionTime(config.dataDir, 'old-days', MAX_DROP_GAP_SECONDS, now);
    if (isAhead(now, instant)) {
      const days = Math.round((now - instant) / 86_400);
      effects.log.warn(`the clock is ${days} days ahead of the last run; one run ages the data by two days at most`);
    }
    const dropped = await dropAll(context, localDate(instant, 'UTC'));
    if (!options.isDryRun) await noteDeletionTime(config.dataDir, 'old-days', instant);
    return { ...toOutcome(dropped, options.isDryRun), due: listDue(dropped, config.retention) };
  });
}

/** @param today reference day of ages */
async function dropAll(context: JobContext, today: ServiceDate): Promise<Dropped> {
  const { observationDays, stopEventDays, predictionDays, featureDays } = context.config.retention;
  const { observations, waiting } =
    observationDays > 0
      ? await dropObservations(context, addDays(today, -observationDays))
      : { observations: [], waiting: [] };
  const stopEvents =
    stopEventDays > 0 ? await dropStopEvents(context, addDays(today, -stopEventDays), observations) : [];
  const predictions = predictionDays > 0 ? await dropPredictions(context, addDays(today, -predictionDays)) : [];
  const lastLearnt = addDays(today, -Math.max(featureDays, RECENT_DAYS));
  const features = featureDays > 0 ? await dropFeatures(context, lastLearnt) : [];
  return { observations, stopEvents, predictions, features, waiting };
}

/**
 * Drops the oldest days of each source, up to the first one that is not finalised in its present state: a gap would
 * look like a day without reports.
 * @param limit the first day that is kept
 */
async function dropObservations(
  context: JobContext,
  limit: ServiceDate,
): Promise<Pick<Dropped, 'observations' | 'waiting'>> {
  const { config, effects, options } = context;
  const observations: OldDay[] = [];
  const waiting: OldDay[] = [];
  for (const source of await listWantedSources(context)) {
    for (const serviceDate of (await listObservedDates(config.dataDir, source)).sort()) {
      if (serviceDate >= limit) break;
      if (!(await isFinalised(config.dataDir, source, serviceDate))) {
        effects.log.warn(`${source}: ${serviceDate} is kept, since its current observations are not finalised yet`);
        waiting.push({ source, serviceDate });
        break;
      }
      if (!options.isDryRun) await removeObservations(config.dataDir, source, serviceDate);
      observations.push({ source, serviceDate });
    }
  }
  return { observations, waiting };
}

async function listWantedSources({ config, options }: JobContext): Promise<SourceId[]> {
  const sources = await listObservedSources(config.dataDir);
  return sources.filter((source) => options.sourceIds?.includes(source) ?? true);
}

/** Whether the day's stop events contain all of its observations. */
async function isFinalised(dataDir: string, source: SourceId, serviceDate: ServiceDate): Promise<boolean> {
  const manifest = await findStopEventManifest(dataDir, source, serviceDate);
  if (manifest?.kind !== 'realtime') return false;
  const { listInputs } = await import('../../pipeline/history/stop-events/day-inputs.ts');
  const files = await listInputs([], await listObservationFiles(dataDir, source, serviceDate));
  return files.every(({ name, hash }) => manifest.inputs.some((one) => one.name === name && one.hash === hash));
}

/** Moves the day out of the lake in one step, so that no reader sees half of it. */
async function removeObservations(dataDir: string, source: SourceId, serviceDate: ServiceDate): Promise<void> {
  const partition = observationPartition(dataDir, source, serviceDate);
  await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    await assertMayPublish();
    await rename(partition, path.join(folder, 'dropped'));
    await syncFolder(path.dirname(partition));
  });
}

/** Drops stop events only of days whose observations are dropped: others would be built again. */
async function dropStopEvents(
  { config, options }: JobContext,
  limit: ServiceDate,
  dropped: readonly OldDay[],
): Promise<OldDay[]> {
  const { removeStopEvents } = await import('../../pipeline/history/stop-events/stop-event-store.ts');
  const removed: OldDay[] = [];
  const days = [...(await listStopEventDays(config.dataDir)), ...(await listHalfReplacedDays(config.dataDir))];
  for (const { source, serviceDate } of days) {
    if (serviceDate >= limit || !(options.sourceIds?.includes(source) ?? true)) continue;
    const isDropped = dropped.some((day) => day.source === source && day.serviceDate === serviceDate);
    const isObserved = !isDropped && (await listObservationFiles(config.dataDir, source, serviceDate)).length > 0;
    if (isObserved) continue;
    if (!options.isDryRun) await removeStopEvents(config.dataDir, source, serviceDate);
    removed.push({ source, serviceDate });
  }
  return removed;
}

/** Drops also predictions that were never evaluated: the observed times are dropped or were never known. */
async function dropPredictions({ config, options }: JobContext, limit: ServiceDate): Promise<OldDay[]> {
  const { listPredictedDays } = await import('../../pipeline/predictions/measured/evaluate-day.ts');
  const { finishPredictionSwaps } = await import('../../pipeline/lake/predictions/prediction-files.ts');
  // A compaction that was killed would bring a dropped day back.
  if (!options.isDryRun) await finishPredictionSwaps(config.dataDir);
  const removed: OldDay[] = [];
  for (const { source, serviceDate } of await listPredictedDays(config.dataDir)) {
    if (serviceDate >= limit || !(options.sourceIds?.includes(source) ?? true)) continue;
    const partition = predictionPartition(config.dataDir, source, serviceDate);
    if (!options.isDryRun) await rm(partition, { recursive: true, force: true });
    removed.push({ source, serviceDate });
  }
  return removed;
}

/**
 * Drops the features of sources whose record ended before `limit`, and leftovers of killed jobs. Features of a source
 * with a recent record stay: they would be built again.
 */
async function dropFeatures(context: JobContext, limit: ServiceDate): Promise<SourceId[]> {
  const { config, effects, options } = context;
  const store = await import('../../pipeline/predictions/learning/feature-store.ts');
  const isOld = async (source: SourceId) => {
    const manifest = await store.findFeatureManifest(config.dataDir, source);
    return manifest === null || manifest.lastDay < limit;
  };
  const removed: SourceId[] = [];
  for (const source of await store.listFeatureSources(config.dataDir)) {
    if (!(options.sourceIds?.includes(source) ?? true) || !(await isOld(source))) continue;
    const drop = async () => {
      // Checked again: a job may just have finished them.
      if (!(await isOld(source))) return;
      if (!options.isDryRun) await store.removeFeatures(config.dataDir, source);
      removed.push(source);
    };
    const learnt = [...ofSources('features', [source]), ...ofSources('models', [source])];
    const holder = { job: DROP_OLD_DAYS, config, effects };
    await withJobLocks(options.isDryRun ? [] : learnt, holder, drop);
  }
  return removed;
}

function listDue(dropped: Dropped, retention: Config['retention']): DueWork[] {
  const list = (what: string, days: readonly OldDay[], kept: number) =>
    days.map(({ source, serviceDate }) => ({
      what: `${what} of ${source} ${serviceDate}`,
      reason: `older than ${kept} days`,
    }));
  return [
    ...list('observations', dropped.observations, retention.observationDays),
    ...list('stop events', dropped.stopEvents, retention.stopEventDays),
    ...list('predictions', dropped.predictions, retention.predictionDays),
    ...dropped.features.map((source) => ({
      what: `features of ${source}`,
      reason: `its record ended more than ${retention.featureDays} days ago`,
    })),
  ];
}

function toOutcome(dropped: Dropped, isDryRun: boolean): JobOutcome {
  const { observations, stopEvents, predictions, features, waiting } = dropped;
  const isUnchanged = [observations, stopEvents, predictions, features].every(({ length }) => length === 0);
  const did = isDryRun ? 'would drop' : 'dropped';
  const counts = `${observations.length} days of observations, ${stopEvents.length} of stop events`;
  const learnt = features.length === 0 ? '' : `, features of ${features.join(', ')}`;
  const done = `${did} ${counts} and ${predictions.length} of predictions${learnt}`;
  const kept = waiting.length > 0 ? `; ${waiting.length} sources are waiting for finalise-stop-events` : '';
  return {
    status: isUnchanged ? 'unchanged' : 'done',
    summary: `${isUnchanged ? 'no day is older than its retention' : done}${kept}`,
    details: {
      observations: observations.map((day) => ({ ...day })),
      stopEvents: stopEvents.map((day) => ({ ...day })),
      predictions: predictions.map((day) => ({ ...day })),
      features: [...features],
      waiting: waiting.map((day) => ({ ...day })),
    },
  };
}
