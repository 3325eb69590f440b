import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlPath } from '../effects/duckdb.ts';
import { syncFile, syncFolder } from '../effects/files.ts';
import { isSystemError, WorldError } from '../effects/world-error.ts';

/**
 * Checks a finished Parquet file and puts it in place as the only file of a partition: readers see the partition
 * whole or not at all.
 * @param file lies in a work folder on the same disk as the lake; is gone afterwards. What is put aside stays beside
 * it: readers of the lake look into every folder of a table, also into hidden ones
 * @throws WorldError `partition_incomplete` when the footer counts other rows than were written
 */
export async function publishPartition(db: Duckdb, file: string, partition: string, rows: number): Promise<void> {
  await assertRowCount(db, file, rows);
  const aside = `${file}.new`;
  await mkdir(aside);
  await syncFile(file);
  await rename(file, path.join(aside, 'part-0.parquet'));
  await syncFolder(aside);
  await mkdir(path.dirname(partition), { recursive: true });
  // What stands there already is of an unfinished run or of older rules.
  await rename(partition, `${file}.old`).catch(ignoreMissing);
  await rename(aside, partition);
  await syncFolder(path.dirname(partition));
}

/** @throws WorldError `partition_incomplete` when the footer of a Parquet file counts other rows than were written */
export async function assertRowCount(db: Duckdb, file: string, rows: number): Promise<void> {
  const [footer] = await db.query(`select sum(num_rows)::bigint as n from parquet_file_metadata(${sqlPath(file)})`);
  if (Number(footer?.n) !== rows) {
    throw new WorldError('partition_incomplete', `${path.basename(file)} holds ${footer?.n} rows instead of ${rows}`);
  }
}

function ignoreMissing(error: unknown): void {
  if (!isSystemError(error, 'ENOENT')) throw error;
}
