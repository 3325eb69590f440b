import { ExternalError, isOfTheSystem, mayPass } from '../../pipeline/effects/external-error.ts';
import { listStopEventSources } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { listObservedSources } from '../../pipeline/lake/observations/partition-files.ts';
import type { LakehouseTable, TableKind } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import type { LakehouseRequest } from '../../pipeline/scale-out/lakehouse/publish-lakehouse.ts';
import type { DueWork, Job, JobContext, JobOutcome, Resource } from '../job/job.ts';
import { ICEBERG, MARTS, ofSources, PREDICTION_METRICS } from '../job/resources.ts';
import { withJobLocks } from '../locks/locks.ts';
import { publishMeanwhile } from '../store/with-store.ts';

const PUBLISH_ICEBERG = 'publish-iceberg';

/** Keeps the Iceberg tables at the state of the lake. */
export function publishIcebergJob(): Job {
  return {
    name: PUBLISH_ICEBERG,
    summary: 'Publishes the lake and the marts as Iceberg tables, each in one commit.',
    accepts: [],
    schedule: (config) => config.schedule.publishIceberg,
    follows: [
      'compact-observations',
      'finalise-stop-events',
      'build-marts',
      'evaluate-predictions',
      'compact-predictions',
      'drop-old-days',
    ],
    listWritten: async () => [ICEBERG],
    run: publishIceberg,
  };
}

/** What became of one table. `waiting`: a job is writing its files, so the next run brings it up to date. */
export interface TableOutcome {
  readonly table: string;
  readonly added: number;
  readonly removed: number;
  readonly isWaiting: boolean;
  readonly isUnchanged: boolean;
}

async function publishIceberg(context: JobContext): Promise<JobOutcome> {
  // Imported on demand, as it loads the definitions of all tables.
  const { listLakehouseTables } = await import('../../pipeline/scale-out/lakehouse/lakehouse-tables.ts');
  const outcomes = await publishTables(context, listLakehouseTables());
  const changed = outcomes.filter(({ isUnchanged }) => !isUnchanged);
  return {
    status: changed.length === 0 ? 'unchanged' : 'done',
    summary: describe(outcomes, context.options.isDryRun),
    due: context.options.isDryRun ? changed.map(toDue) : [],
    details: { tables: outcomes.map((outcome) => ({ ...outcome })) },
  };
}

/** The publishing job, and the resources that it has already locked. */
interface Publisher {
  readonly job: string;
  readonly held: readonly Resource[];
}

/**
 * Brings tables up to date, one after the other, then lets the catalog name them where there is one: what it names is in
 * the object store before, where one is configured. Each table fails alone, and so does the catalog, which readers by the
 * hint do not need; one failure is thrown at the end.
 * @throws ExternalError `commit_lost`, `table_damaged`, `iceberg_catalog_store_failed`; those of the store
 */
export async function publishTables(
  context: JobContext,
  tables: readonly LakehouseTable[],
  by: Publisher = { job: PUBLISH_ICEBERG, held: [] },
): Promise<readonly TableOutcome[]> {
  const outcomes = new Map<LakehouseTable, TableOutcome>();
  const failures: Error[] = [];
  for (const table of tables) {
    context.stopping?.throwIfAborted();
    try {
      outcomes.set(table, await publishUnlessLocked(context, table, by));
    } catch (error) {
      if (!(error instanceof ExternalError || isOfTheSystem(error))) throw error;
      context.effects.log.warn(`the Iceberg table ${nameOf(table)} is unchanged: ${error.message}`);
      failures.push(error);
    }
  }
  if (!context.options.isDryRun) {
    await publishMeanwhile(context, ['Iceberg tables']);
    await pointCatalog(context, [...outcomes.keys()]).catch((error) => failures.push(toCatalogError(error)));
  }
  // One that may pass first: the run is tried again.
  if (failures.length > 0) throw failures.find(mayPass) ?? failures[0];
  return [...outcomes.values()];
}

function nameOf({ definition: { namespace, name } }: LakehouseTable): string {
  return `${namespace}.${name}`;
}

async function pointCatalog({ config, effects }: JobContext, tables: readonly LakehouseTable[]): Promise<void> {
  const { dataDir, iceberg, store } = config;
  if (iceberg.catalogPostgresUrl === null) return;
  const { openJdbcCatalog } = await import('../../pipeline/scale-out/lakehouse/jdbc-catalog.ts');
  const { toTableFolder } = await import('../../pipeline/scale-out/lakehouse/lakehouse-tables.ts');
  const { locateTables } = await import('../../pipeline/scale-out/lakehouse/locate-tables.ts');
  const location = locateTables(iceberg.location, store.url);
  const catalog = await openJdbcCatalog(iceberg.catalogPostgresUrl, effects.log);
  try {
    for (const { definition } of tables)
      await catalog.pointAt(definition, toTableFolder(dataDir, location, definition));
  } finally {
    await catalog.close();
  }
}

/** The same failure, with what it means for readers. @throws the error itself if it is not an external error */
function toCatalogError(error: unknown): ExternalError {
  if (!(error instanceof ExternalError)) throw error;
  const { code, isRetryable, message } = error;
  const sentence = `the catalog does not have the new versions of the Iceberg tables yet: ${message}`;
  return new ExternalError(code, sentence, { cause: error, isRetryable });
}

async function publishUnlessLocked(context: JobContext, table: LakehouseTable, by: Publisher): Promise<TableOutcome> {
  const { effects, options } = context;
  const { countDueFiles, publishLakehouseTable } = await import(
    '../../pipeline/scale-out/lakehouse/publish-lakehouse.ts'
  );
  const name = nameOf(table);
  try {
    if (options.isDryRun) {
      const due = await countDueFiles(await toRequest(context, name, by), table);
      return { table: name, ...due, isWaiting: false, isUnchanged: due.added + due.removed === 0 };
    }
    const { added, removed, isUnchanged } = await publishLakehouseTable(await toRequest(context, name, by), table);
    return { table: name, added, removed, isWaiting: false, isUnchanged };
  } catch (error) {
    if (!(error instanceof ExternalError) || error.code !== 'job_running') throw error;
    effects.log.warn(`${error.message}, so the Iceberg table ${name} is left to the next run`);
    return { table: name, added: 0, removed: 0, isWaiting: true, isUnchanged: true };
  }
}

async function toRequest(
  { config, effects, options }: JobContext,
  name: string,
  { job, held }: Publisher,
): Promise<LakehouseRequest> {
  const { locateTables } = await import('../../pipeline/scale-out/lakehouse/locate-tables.ts');
  const { dataDir, iceberg } = config;
  const holder = { job, config, effects };
  const others = (writers: readonly Resource[]) => writers.filter((resource) => !held.includes(resource));
  return {
    dataDir,
    location: locateTables(iceberg.location, config.store.url),
    now: () => effects.clock.nowMilliseconds(),
    whileUnwritten: async ({ kind }, task) =>
      options.isDryRun ? task() : withJobLocks(others(await listWriters(dataDir, kind)), holder, task),
    onRefused: (file, reason) => effects.log.warn(`${name} is published without ${file}: ${reason}`),
  };
}

/** What the jobs lock that replace or remove files of a table. Polling only adds files, each in one step. */
async function listWriters(dataDir: string, kind: TableKind): Promise<Resource[]> {
  switch (kind) {
    case 'stopEvents':
      return ofSources('stop-events', await listStopEventSources(dataDir));
    case 'observations':
      return ofSources('observations', await listObservedSources(dataDir));
    case 'marts':
      return [MARTS];
    case 'predictions':
    case 'predictionMetrics':
      return [PREDICTION_METRICS];
  }
}

function toDue({ table, added, removed }: TableOutcome): DueWork {
  return { what: table, reason: `${added} files are new and ${removed} are gone` };
}

function describe(outcomes: readonly TableOutcome[], isDryRun: boolean): string {
  const changed = outcomes.filter(({ isUnchanged }) => !isUnchanged);
  const waiting = outcomes.filter(({ isWaiting }) => isWaiting);
  const files = changed.reduce((sum, { added }) => sum + added, 0);
  const did = isDryRun ? 'would publish' : 'published';
  const done = `${did} ${changed.length} of ${outcomes.length} tables with ${files} new files`;
  return [
    changed.length === 0 ? 'the Iceberg tables are up to date' : done,
    ...(waiting.length > 0 ? [`${waiting.length} are waiting for the jobs that write them`] : []),
  ].join(', ');
}
