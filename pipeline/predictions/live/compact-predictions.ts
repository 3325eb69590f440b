import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlName, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { ExternalError } from '../../effects/external-error.ts';
import { syncFile, syncFolder } from '../../effects/files.ts';
import { findFormerFiles, parquetFacts, readFileFact } from '../../lake/parquet-facts.ts';
import {
  compactedName,
  isCompacted,
  listPredictionFiles,
  noteCovered,
  swapPredictions,
} from '../../lake/predictions/prediction-files.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { predictionColumns } from './prediction-store.ts';

/** Metadata key of a compacted file: the names of the parts that it was made of. */
const PARTS = 'parts';

/** Rows of a trip stay together, in the order in which they were made. */
const ORDER = 'trip_id, made_at, from_position, position';

/** Digits of the hash that names a compacted file. */
const NAME_DIGITS = 16;

/**
 * Makes one file of a day's predictions, with the same rows, in the present schema. Readers find the old files or the
 * new one; a crash loses and doubles nothing (`finishPredictionSwaps`). The service may add predictions meanwhile.
 * @param folder a work folder on the same disk as the lake
 * @returns number of files that were merged; null where the day is one file of the present schema, or none
 * @throws ExternalError `partition_incomplete` when the new file has other rows; nothing is changed then
 */
export async function compactPredictions(
  db: Duckdb,
  dataDir: string,
  folder: string,
  { source, serviceDate }: { readonly source: SourceId; readonly serviceDate: ServiceDate },
): Promise<number | null> {
  const files = await listPredictionFiles(dataDir, source, serviceDate);
  if (!(await isDue(db, files))) return null;
  const parts = await listParts(db, files);
  const aside = path.join(folder, `${source}-${serviceDate}`);
  await mkdir(aside, { recursive: true });
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, NAME_DIGITS);
  const file = path.join(aside, compactedName(hash));
  const facts = await parquetFacts(dataDir, 'predictions', [source], { [PARTS]: JSON.stringify(parts) });
  await db.run(
    `copy (${selectRows(files)} order by ${ORDER}) to ${sqlText(file)} (format parquet, compression zstd, ${facts})`,
  );
  await assertSameRows(db, files, file);
  await syncFile(file);
  await noteCovered(
    aside,
    files.map((one) => path.basename(one)),
  );
  await syncFolder(aside);
  await swapPredictions(dataDir, source, serviceDate, aside);
  return files.length;
}

/** Whether files are to be made one, or to be brought to the present schema. */
export async function isDue(db: Duckdb, files: readonly string[]): Promise<boolean> {
  return files.length > 1 || (files.length === 1 && (await findFormerFiles(db, files)).size > 0);
}

/** Names of the files as the service has stored them, whether they were compacted since or not; sorted. */
export async function listParts(db: Duckdb, files: readonly string[]): Promise<string[]> {
  const parts: string[] = [];
  for (const file of files) {
    const name = path.basename(file);
    const listed = isCompacted(name) ? await readFileFact(db, file, PARTS) : null;
    parts.push(...(listed === null ? [name] : (JSON.parse(listed) as string[])));
  }
  return parts.sort();
}

function selectRows(files: readonly string[]): string {
  const columns = Object.entries(predictionColumns).map(
    ([name, [type]]) => `cast(${sqlName(name)} as ${type}) as ${sqlName(name)}`,
  );
  return `select ${columns.join(', ')}
    from read_parquet([${files.map(sqlPath).join(', ')}], union_by_name = true, hive_partitioning = false)`;
}

async function assertSameRows(db: Duckdb, files: readonly string[], compacted: string): Promise<void> {
  const [before, after] = [await hashRows(db, files), await hashRows(db, [compacted])];
  if (before === after) return;
  throw new ExternalError('partition_incomplete', `${path.basename(compacted)} does not hold the rows of its parts`);
}

/** Equal for equal rows in any order; rows that are twice in them count twice. */
async function hashRows(db: Duckdb, files: readonly string[]): Promise<string> {
  const values = Object.keys(predictionColumns).map(sqlName).join(', ');
  const [row] = await db.query(
    `select count(*)::varchar as n, coalesce(sum(hash(${values})), 0)::varchar as sum from (${selectRows(files)})`,
  );
  return `${row!.n} ${row!.sum}`;
}
