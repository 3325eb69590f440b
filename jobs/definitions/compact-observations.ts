import { nowInstant } from '../../pipeline/effects/clock.ts';
import {
  finishSwaps,
  listObservationFiles,
  listObservedDates,
  listObservedSources,
} from '../../pipeline/lake/observations/partition-files.ts';
import { type PrunedRawAnswers, pruneRawAnswers } from '../../pipeline/lake/prune-raw-answers.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import { addDays, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import {
  engineSettings,
  isRequestedDay,
  type Job,
  type JobContext,
  type JobOptions,
  type JobOutcome,
} from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { divideIntoDays, divideIntoSourceDays, hasRange } from '../runner/backfill-units.ts';
import { renewObservations } from './renew-observations.ts';

const COMPACT_OBSERVATIONS = 'compact-observations';

/** Compacts observations to one file per source and service date, and drops raw answers beyond their limits. */
export function compactObservationsJob(): Job {
  return {
    name: COMPACT_OBSERVATIONS,
    summary:
      'Compacts each past day of observations into one Parquet file and drops raw responses beyond their limits.',
    accepts: ['source', 'date', 'from', 'to'],
    schedule: (config) => config.schedule.compactObservations,
    listWritten: async (context) => ofSources('observations', await listWantedSources(context)),
    division: {
      noun: 'days',
      plan: async ({ options }) => ({ units: divideIntoDays(options) }),
      shards: { noun: 'days of sources', plan: divideForWorkers },
    },
    run: compactAndPrune,
  };
}

/** A run without a range also drops raw answers: it is one piece of work. */
async function divideForWorkers(context: JobContext) {
  const { options } = context;
  return { units: hasRange(options) ? divideIntoSourceDays(options, await listWantedSources(context)) : [] };
}

/** A day of one source whose files were merged or rewritten, or would be in a dry run. */
interface CompactedDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  readonly files: number;
}

async function compactAndPrune(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const compacted = await compactDays(context);
  const isPruned = !options.isDryRun && !isNarrowed(options);
  const pruned = isPruned ? await pruneRawAnswers(config.dataDir, config.raw, nowInstant(effects.clock)) : null;
  return {
    status: compacted.length === 0 && (pruned?.files ?? 0) === 0 ? 'unchanged' : 'done',
    summary: [...describeDays(compacted, options), ...describePruned(pruned)].join('; '),
    due: compacted.map(({ source, serviceDate, files }) => ({
      what: `${source} ${serviceDate}`,
      reason: files === 1 ? 'its file is of a former schema' : `it has ${files} files`,
    })),
    details: { days: compacted.map((day) => ({ ...day })), pruned: pruned && { ...pruned } },
  };
}

function describeDays(compacted: readonly CompactedDay[], { isDryRun }: JobOptions): string[] {
  if (compacted.length === 0) return ['no past day has more than one file'];
  const files = compacted.reduce((sum, day) => sum + day.files, 0);
  return [`${isDryRun ? 'would make' : 'made'} ${compacted.length} of ${files} files`];
}

function describePruned(pruned: PrunedRawAnswers | null): string[] {
  return pruned && pruned.files > 0 ? [`dropped ${pruned.files} raw responses, ${pruned.bytes} bytes`] : [];
}

async function listWantedSources({ config, options }: JobContext): Promise<SourceId[]> {
  const sources = await listObservedSources(config.dataDir);
  return sources.filter((source) => options.sourceIds?.includes(source) ?? true);
}

async function compactDays(context: JobContext): Promise<CompactedDay[]> {
  const { config, effects, options } = context;
  const { dataDir } = config;
  // Imported on demand, as it loads the database engine.
  const { compactObservations } = await import('../../pipeline/lake/observations/compact-observations.ts');
  const yesterday = addDays(localDate(nowInstant(effects.clock), 'UTC'), -1);
  const compacted: CompactedDay[] = [];
  const single: { readonly source: SourceId; readonly serviceDate: ServiceDate }[] = [];
  for (const source of await listWantedSources(context)) {
    // A day whose swap was cut off may have no folder by which it would be found.
    if (!options.isDryRun) await finishSwaps(dataDir, source, (date) => isRequestedDay(date, options, yesterday));
    for (const serviceDate of await listObservedDates(dataDir, source)) {
      // Only past days by default: parts are still being added to today's.
      if (!isRequestedDay(serviceDate, options, yesterday)) continue;
      const files = (await listObservationFiles(dataDir, source, serviceDate)).length;
      if (files === 1) single.push({ source, serviceDate });
      if (files < 2) continue;
      effects.log.progress(`${source}: making one file of ${serviceDate}`);
      if (!options.isDryRun) {
        await compactObservations(dataDir, source, serviceDate, engineSettings(context));
      }
      compacted.push({ source, serviceDate, files });
    }
  }
  const renewed = await renewObservations(context, COMPACT_OBSERVATIONS, single);
  return [...compacted, ...renewed.map((day) => ({ ...day, files: 1 }))];
}

function isNarrowed({ sourceIds, date, from, to }: JobOptions): boolean {
  return [sourceIds, date, from, to].some((option) => option !== null);
}
