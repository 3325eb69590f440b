import path from 'node:path';
import { type Duckdb, openDuckdb, readSql, sqlText } from '../../effects/duckdb.ts';
import { listNames, syncFile } from '../../effects/files.ts';
import { withTemporaryFolder } from '../../effects/temporary-folders.ts';
import type { SourceId } from '../../model/ids.ts';
import { occupancies } from '../../model/occupancy.ts';
import { fromEpochDay } from '../../model/service-time.ts';
import { assertRowCount, parquetFacts } from '../parquet-facts.ts';
import { observationPartition, workFolder } from '../paths.ts';
import { type ObservationRows, readColumn, rowColumns } from './observation-rows.ts';
import { observationColumns, observationOrder } from './observation-table.ts';
import { placeFile } from './partition-files.ts';

/** Limits of the database engine. */
export interface LakeSettings {
  /** As DuckDB writes it, e.g. `2GB`; beyond it work spills to the data folder. */
  readonly memoryLimit: string;
  /** 0: all cores. */
  readonly threads: number;
  /** Interrupts the engine; its statements then throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a task with a dedicated engine and temporary folder. */
export async function withEngine<Result>(
  dataDir: string,
  { memoryLimit, threads, signal }: LakeSettings,
  task: (db: Duckdb, folder: string) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({
      memoryLimit,
      temporaryFolder: path.join(folder, 'spill'),
      threads,
      signal,
    });
    try {
      return await task(db, folder);
    } finally {
      db.close();
    }
  });
}

/** Where the rows of a segment of the journal go. */
interface PartsPlace {
  /** Of the file of each day. */
  readonly name: string;
  /**
   * Names of which a file of a day, where it exists, has all rows of that day: of the segment under a former writer, and
   * its own if the rows were saved from a damaged segment.
   */
  readonly whole: readonly string[];
}

/**
 * Writes the closed rows of one segment of the journal, one Parquet file per service date. The same segment gives the
 * same files, so that writing them again after a crash changes nothing.
 * @returns number of files
 */
export async function writeParts(
  dataDir: string,
  source: SourceId,
  { name, whole }: PartsPlace,
  rows: ObservationRows,
  settings: LakeSettings,
): Promise<number> {
  if (rows.length === 0) return 0;
  return withEngine(dataDir, settings, async (db, folder) => {
    await loadRows(db, rows);
    const facts = await parquetFacts(dataDir, 'observations', [source]);
    const select = await readSql('pipeline/lake/observations/observations.sql');
    await db.run(`set variable occupancies = [${occupancies.map(sqlText).join(', ')}]`);
    const days = await db.query('select day, count(*)::int as n from observations group by day order by day');
    for (const { day, n } of days) {
      const partition = observationPartition(dataDir, source, fromEpochDay(Number(day)));
      const present = whole.length > 0 ? await listNames(partition) : [];
      if (whole.some((one) => present.includes(one))) continue;
      const file = path.join(folder, `${day}.parquet`);
      await db.query('set variable day = $day', { day: Number(day) });
      await copyToParquet(db, select, file, Number(n), facts);
      await placeFile(file, partition, name);
    }
    return days.length;
  });
}

/**
 * Writes observations to a Parquet file, sorted and synced.
 * @param facts as `parquetFacts` gives them
 * @throws ExternalError `partition_incomplete` when it holds other rows than it should
 */
export async function copyToParquet(
  db: Duckdb,
  select: string,
  file: string,
  rows: number,
  facts: string,
): Promise<void> {
  const columns = Object.entries(observationColumns).map(([name, [type]]) => `cast(${name} as ${type}) as ${name}`);
  await db.run(
    `copy (from (select ${columns.join(', ')} from (${select})) order by ${observationOrder})
     to ${sqlText(file)} (format parquet, compression zstd, ${facts})`,
  );
  await assertRowCount(db, file, rows);
  await syncFile(file);
}

async function loadRows(db: Duckdb, rows: ObservationRows): Promise<void> {
  const columns = rowColumns.map((name) => `${toSnakeCase(name)} uinteger`);
  await db.run(
    `create table observations (${columns.join(', ')}); create table texts (number uinteger, value varchar)`,
  );
  await db.insertColumns(
    'observations',
    rowColumns.map((name) => readColumn(rows, name)),
  );
  const { texts } = rows.texts;
  await db.insertColumns('texts', [Uint32Array.from(texts, (_, index) => index + 1), texts]);
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
