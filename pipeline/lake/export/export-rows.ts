import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlText } from '../../effects/duckdb.ts';
import { syncFile, syncFolder } from '../../effects/files.ts';
import { assertRowCount } from '../partitions.ts';
import { writeArrowStream } from './arrow-batches.ts';
import type { ExportFormat, ExportProfile } from './export-formats.ts';
import { describeColumns, toFlatSelect, toPlainSelect } from './exported-columns.ts';

/**
 * Writes the rows of a query to one file, which is there whole or not at all.
 * @param profile `portable`: Parquet that the simplest readers understand: snappy, pages of the first version, no
 * dictionaries, and none but plain types; null: Parquet as the lake has it
 * @param facts as `parquetFacts` gives them; Parquet alone has a place for them
 * @param onFile is told where the rows are written before they are in place
 * @returns the number of rows
 */
export async function exportRows(
  db: Duckdb,
  select: string,
  file: string,
  format: ExportFormat,
  profile: ExportProfile | null,
  facts: string,
  onFile: (aside: string) => void = () => {},
): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  onFile(aside);
  try {
    const rows = await writeRows(db, select, aside, format, profile, facts);
    await syncFile(aside);
    await rename(aside, file);
    await syncFolder(path.dirname(file));
    return rows;
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function writeRows(
  db: Duckdb,
  select: string,
  file: string,
  format: ExportFormat,
  profile: ExportProfile | null,
  facts: string,
): Promise<number> {
  const columns = await describeColumns(db, select);
  if (format === 'arrow') return writeArrowStream(db, columns, select, file);
  if (format === 'csv') return copy(db, toFlatSelect(columns, select), file, 'format csv, header true');
  const rows =
    profile === 'portable'
      ? await copy(db, toPlainSelect(columns, select), file, `${PORTABLE}, ${facts}`)
      : await copy(db, select, file, `format parquet, compression zstd, ${facts}`);
  await assertRowCount(db, file, rows);
  return rows;
}

const PORTABLE = 'format parquet, parquet_version v1, compression snappy, dictionary_size_limit 0';

async function copy(db: Duckdb, select: string, file: string, options: string): Promise<number> {
  const [copied] = await db.query(`copy (${select}) to ${sqlText(file)} (${options})`);
  return Number(copied?.Count);
}
