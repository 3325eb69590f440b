import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ParquetView } from '../pipeline/effects/read-only-duckdb.ts';
import { isSystemError } from '../pipeline/effects/world-error.ts';
import { type LakeSchema, lakeFolder, observationsFolder, tableFolder } from '../pipeline/lake/paths.ts';

const SCHEMAS: readonly LakeSchema[] = ['gtfs', 'timetable'];

/** A view for every table in the lake that has a file, named `schema.table`; `observations` stands alone. */
export async function listLakeViews(dataDir: string): Promise<ParquetView[]> {
  const views: ParquetView[] = [];
  for (const schema of SCHEMAS) {
    const tables = await listFolders(path.join(lakeFolder(dataDir), schema));
    for (const name of tables.sort()) {
      const folder = tableFolder(dataDir, schema, name);
      if (await holdsParquet(folder)) views.push({ schema, name, files: path.join(folder, '**', '*.parquet') });
    }
  }
  const observations = observationsFolder(dataDir);
  if (await holdsParquet(observations)) {
    const files = path.join(observations, '**', '*.parquet');
    views.push({ schema: 'main', name: 'observations', files, partitionTypes: { service_date: 'date' } });
  }
  return views;
}

async function listFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
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
