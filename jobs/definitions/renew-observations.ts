import { ExternalError } from '../../pipeline/effects/external-error.ts';
import { listObservationFiles } from '../../pipeline/lake/observations/partition-files.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { engineSettings, type JobContext } from '../job/job.ts';
import { ofSources } from '../job/resources.ts';
import { withJobLocks } from '../locks/locks.ts';

/** A day whose observations are one file. */
interface ObservedDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
}

/**
 * Brings days whose file is of a former schema to the present one, with the same rows. Their stop events stay as they
 * are: a day that was built from the former file counts as built from the new one. After a crash between the two it is
 * built again, with the same rows. While a job writes stop events of a source, its days are left to the next run.
 * @returns the days that were rewritten, or would be in a dry run
 */
export async function renewObservations(
  context: JobContext,
  job: string,
  days: readonly ObservedDay[],
): Promise<readonly ObservedDay[]> {
  const { options, effects, config } = context;
  const former = await listFormerDays(context, days);
  if (options.isDryRun) return former;
  const renewed: ObservedDay[] = [];
  for (const source of new Set(former.map((day) => day.source))) {
    const ofSource = former.filter((day) => day.source === source);
    try {
      await withJobLocks(ofSources('stop-events', [source]), { job, config, effects }, async () => {
        for (const day of ofSource) {
          context.stopping?.throwIfAborted();
          effects.log.progress(`${source}: migrating ${day.serviceDate} to the current schema`);
          await renewDay(context, day);
          renewed.push(day);
        }
      });
    } catch (error) {
      if (!(error instanceof ExternalError) || error.code !== 'job_running') throw error;
      effects.log.warn(
        `${error.message}, so ${ofSource.length} days of ${source} keep a former schema until the next run`,
      );
    }
  }
  return renewed;
}

async function listFormerDays(context: JobContext, days: readonly ObservedDay[]): Promise<ObservedDay[]> {
  if (days.length === 0) return [];
  const { dataDir } = context.config;
  // Imported on demand, as they load the database engine.
  const { findFormerFiles } = await import('../../pipeline/lake/parquet-facts.ts');
  const { withEngine } = await import('../../pipeline/lake/observations/write-parts.ts');
  const files = new Map<string, ObservedDay>();
  for (const day of days) {
    for (const file of await listObservationFiles(dataDir, day.source, day.serviceDate)) files.set(file, day);
  }
  const former = await withEngine(dataDir, engineSettings(context), (db) => findFormerFiles(db, [...files.keys()]));
  return [...former].map((file) => files.get(file)!);
}

async function renewDay(context: JobContext, { source, serviceDate }: ObservedDay): Promise<void> {
  const { dataDir } = context.config;
  const { compactObservations } = await import('../../pipeline/lake/observations/compact-observations.ts');
  const { listInputs, replaceInputs } = await import('../../pipeline/history/stop-events/day-inputs.ts');
  const list = async () => listInputs([], await listObservationFiles(dataDir, source, serviceDate));
  const former = await list();
  await compactObservations(dataDir, source, serviceDate, engineSettings(context));
  await replaceInputs(dataDir, { source, serviceDate }, former, await list());
}
