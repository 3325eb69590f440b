import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { globPath, sqlText } from '../effects/duckdb.ts';
import { isSystemError } from '../effects/external-error.ts';
import { listFolders } from '../effects/files.ts';
import type { DerivedView, EmptyView, ParquetView } from '../effects/read-only-duckdb.ts';
import { stopEventColumns } from '../history/stop-events/stop-event-table.ts';
import {
  selectPresent,
  toObservationReading,
  toReading,
  toStopEventReading,
} from '../lake/observations/former-schema.ts';
import { observationColumns } from '../lake/observations/observation-table.ts';
import {
  type LakeSchema,
  lakeFolder,
  martsFolder,
  observationsFolder,
  predictionsFolder,
  stopEventsFolder,
  tableFolder,
} from '../lake/paths.ts';
import { predictionColumns } from '../predictions/live/prediction-store.ts';

const SCHEMAS: readonly LakeSchema[] = ['gtfs', 'timetable'];

/**
 * A view for every table that has a file: those of timetables are `schema.table`, statistics `marts.name`;
 * `observations`, `stop_events` and `predictions` have no schema.
 */
export async function listLakeViews(dataDir: string): Promise<ParquetView[]> {
  const views: ParquetView[] = [];
  for (const schema of SCHEMAS) {
    const tables = await listFolders(path.join(lakeFolder(dataDir), schema));
    for (const name of tables.sort()) {
      const folder = tableFolder(dataDir, schema, name);
      if (await holdsParquet(folder))
        views.push({ schema, name, files: path.join(globPath(folder), '**', '*.parquet') });
    }
  }
  for (const [name, folder, reading] of [
    ['observations', observationsFolder(dataDir), toObservationReading(observationColumns)],
    ['stop_events', stopEventsFolder(dataDir), toStopEventReading(stopEventColumns)],
    ['predictions', predictionsFolder(dataDir), toReading(predictionColumns)],
  ] as const) {
    if (!(await holdsParquet(folder))) continue;
    const files = path.join(globPath(folder), '**', '*.parquet');
    views.push({
      schema: 'main',
      name,
      files,
      partitionTypes: { service_date: 'date' },
      select: (relation) => selectPresent(relation, reading),
    });
  }
  const marts = martsFolder(dataDir);
  for (const name of (await listFolders(marts)).sort()) {
    const folder = path.join(marts, name);
    if (!(await holdsParquet(folder))) continue;
    views.push({ schema: 'marts', name, files: path.join(globPath(folder), '**', '*.parquet'), hasPartitions: false });
  }
  return views;
}

/**
 * Views without rows of the documented tables that have no file yet: a query written for a lake works from the first
 * start on.
 * @param views of the tables that have files
 */
export async function listEmptyViews(views: readonly ParquetView[]): Promise<EmptyView[]> {
  // Imported late, because it loads the whole guide.
  const { listLakeViews: listDocumented, listCountedColumns } = await import('./write-lake-guide.ts');
  const tables = listDocumented().map(({ schema, name, folderColumns, columns }) => ({
    schema,
    name,
    columns: { ...folderColumns, ...columns },
  }));
  const counted = { schema: 'main', name: 'counted_calls', columns: listCountedColumns() };
  const isThere = (schema: string, name: string) => views.some((one) => one.schema === schema && one.name === name);
  const isMissing = ({ schema, name }: { schema: string; name: string }) =>
    !isThere(schema, name === counted.name ? 'stop_events' : name);
  return [...tables, counted].filter(isMissing).map(({ schema, name, columns }) => ({
    schema,
    name,
    columns: Object.fromEntries(Object.entries(columns).map(([column, [type]]) => [column, type])),
  }));
}

/** The calls of all sources together, each once, as in the catalog of the lake. */
export async function deriveCountedCalls(dataDir: string): Promise<DerivedView> {
  // Imported late, because it loads the whole guide.
  const { selectCountedCalls } = await import('./counted-calls.ts');
  const pattern = sqlText(path.join(globPath(stopEventsFolder(dataDir)), '**', '*.parquet'));
  return {
    name: 'counted_calls',
    of: 'stop_events',
    select: selectCountedCalls('stop_events', pattern),
  };
}

async function holdsParquet(folder: string): Promise<boolean> {
  try {
    const files = await readdir(folder, { recursive: true });
    return files.some((file) => file.endsWith('.parquet'));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
