import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlText } from '../effects/duckdb.ts';
import { syncFile, syncFolder } from '../effects/files.ts';
import { WorldError } from '../effects/world-error.ts';

/**
 * Checks a finished Parquet file and puts it in place as the only file of a partition: readers see the partition
 * whole or not at all.
 * @param file lies on the same disk as the lake; is gone afterwards
 * @throws WorldError `partition_incomplete` when the footer counts other rows than were written
 */
export async function publishPartition(db: Duckdb, file: string, partition: string, rows: number): Promise<void> {
  const [footer] = await db.query(`select sum(num_rows)::bigint as n from parquet_file_metadata(${sqlText(file)})`);
  if (Number(footer?.n) !== rows) {
    throw new WorldError('partition_incomplete', `${path.basename(file)} holds ${footer?.n} rows instead of ${rows}`);
  }
  const parent = path.dirname(partition);
  const mark = randomBytes(6).toString('hex');
  // A leading dot keeps it out of every `**/*.parquet`.
  const aside = path.join(parent, `.${path.basename(partition)}.${mark}.tmp`);
  await mkdir(aside, { recursive: true });
  await syncFile(file);
  await rename(file, path.join(aside, 'part-0.parquet'));
  await syncFolder(aside);
  await replaceFolder(aside, partition, mark);
  await syncFolder(parent);
}

/** A partition that stands there already is of an unfinished run or of older rules: nothing points at it. */
async function replaceFolder(aside: string, partition: string, mark: string): Promise<void> {
  const old = path.join(path.dirname(partition), `.${path.basename(partition)}.${mark}.old`);
  await rename(partition, old).catch(ignoreMissing);
  await rename(aside, partition);
  await rm(old, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
