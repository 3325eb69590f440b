import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Duckdb, openDuckdb, type SqlRow } from '../../../pipeline/effects/duckdb.ts';
import { writeFileAtomically } from '../../../pipeline/effects/files.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { parseMapping } from '../../../pipeline/history/archives/archive-mapping.ts';
import { findMapping } from '../../../pipeline/history/archives/find-mapping.ts';
import { type ImportOutcome, importArchive } from '../../../pipeline/history/archives/import-archive.ts';
import { hashFile } from '../../../pipeline/history/archives/read-archive.ts';
import { withEngine } from '../../../pipeline/lake/observations/write-parts.ts';
import { stopEventsFolder } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';

/** A folder that is removed when the test ends. */
export async function archiveFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-archives-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Import {
  readonly dataDir: string;
  readonly file: string;
  /** The text of a mapping, or the name of one in the repository. */
  readonly mapping: string;
  readonly from?: string;
  readonly to?: string;
  readonly isDryRun?: boolean;
  readonly isForced?: boolean;
  readonly onEngine?: (db: Duckdb) => Duckdb;
  readonly signal?: AbortSignal;
}

/** Imports an archive with the code of the job. */
export async function importFile(wanted: Import): Promise<ImportOutcome> {
  const isText = wanted.mapping.includes('\n');
  const { mapping, hash } = isText
    ? { mapping: parseMapping('own', wanted.mapping), hash: wanted.mapping }
    : await findMapping(wanted.mapping, '/');
  const facts = {
    dataDir: wanted.dataDir,
    source: mapping.source,
    mapping,
    mappingHash: hash,
    archiveName: path.basename(wanted.file),
    archiveHash: await hashFile(wanted.file),
    builtAt: '2026-01-01T00:00:00.000Z',
  };
  const request = {
    facts,
    file: wanted.file,
    from: (wanted.from ?? null) as ServiceDate | null,
    to: (wanted.to ?? null) as ServiceDate | null,
    isDryRun: wanted.isDryRun ?? false,
    isForced: wanted.isForced ?? false,
  };
  return withEngine(wanted.dataDir, { memoryLimit: '2GB', threads: 2, signal: wanted.signal }, (db, folder) =>
    importArchive(wanted.onEngine?.(db) ?? db, folder, request, silentLog),
  );
}

/** Writes a text file beside the data folder. */
export async function writeArchive(folder: string, name: string, text: string | Uint8Array): Promise<string> {
  const file = path.join(folder, 'archives', name);
  await writeFileAtomically(file, text);
  return file;
}

/** Queries the stop events of a source as `stop_events`. */
export async function queryStopEvents(dataDir: string, source: string, sql: string): Promise<SqlRow[]> {
  const db = await openDuckdb({ threads: 2 });
  try {
    const files = path.join(stopEventsFolder(dataDir), `source=${toSourceId(source)}`, '*', '*.parquet');
    await db.run(
      `create view stop_events as from read_parquet('${files}', hive_partitioning = true, hive_types_autocast = false)`,
    );
    return await db.query(sql);
  } finally {
    db.close();
  }
}
