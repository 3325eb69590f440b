import type { BuiltMonth } from '../pipeline/marts/build-marts.ts';
import { engineSettings, type Job, type JobContext, type JobOutcome } from './job.ts';

/** Sums the stop events up into the marts, and publishes them as the history that the api answers from. */
export function buildMartsJob(): Job {
  return {
    name: 'build-marts',
    summary: 'Sums stop events up into the punctuality marts, only days that changed, and publishes the history.',
    accepts: ['date', 'from', 'to', 'dryRun', 'force'],
    schedule: (config) => config.schedule.buildMarts,
    run: buildAndPublish,
  };
}

async function buildAndPublish(context: JobContext): Promise<JobOutcome> {
  const { config, effects, options } = context;
  const { dataDir, history, snapshots } = config;
  const settings = engineSettings(context);
  const { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds, furtherDefinitions } = history;
  const definition = { onTimeMaxDelaySeconds, lateMinDelaySeconds, earlyMinSeconds };
  // Loaded late, as they bring the database engine along.
  const { buildMarts } = await import('../pipeline/marts/build-marts.ts');
  const { listDefinitions } = await import('../pipeline/marts/definitions.ts');
  const months = await buildMarts(
    {
      dataDir,
      settings,
      definitions: listDefinitions(definition, furtherDefinitions),
      from: options.date ?? options.from,
      to: options.date ?? options.to,
      isForced: options.isForced,
      isDryRun: options.isDryRun,
    },
    effects,
  );
  const details = { months: months.map((month) => ({ ...month })) };
  if (options.isDryRun) return { status: statusOf(months.length), summary: describe(months, 'would make'), details };
  const { publishHistory } = await import('../pipeline/snapshots/publish-history.ts');
  const published = await publishHistory(
    { dataDir, definition, keepSnapshots: snapshots.keep, duckdb: settings },
    effects,
  );
  const { writeLakeGuide } = await import('../pipeline/guide/write-lake-guide.ts');
  await writeLakeGuide(dataDir);
  return {
    // A run that was cut off before it published is made up for here.
    status: months.length === 0 && published.isUnchanged ? 'unchanged' : 'done',
    summary: `${describe(months, 'made')}; history ${published.id}${published.isUnchanged ? ' as before' : ''}`,
    details: { ...details, historyId: published.id },
  };
}

function statusOf(months: number): JobOutcome['status'] {
  return months === 0 ? 'unchanged' : 'done';
}

function describe(months: readonly BuiltMonth[], did: string): string {
  if (months.length === 0) return 'the marts are up to date';
  const made = months.reduce((sum, month) => sum + month.made.length, 0);
  const removed = months.reduce((sum, month) => sum + month.removed.length, 0);
  const gone = removed > 0 ? [`${removed} days removed`] : [];
  return [`${did} ${made} days in ${months.length} months`, ...gone].join(', ');
}
