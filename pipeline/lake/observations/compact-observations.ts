import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlPath } from '../../effects/duckdb.ts';
import { syncFolder } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { findFormerFiles, parquetFacts } from '../parquet-facts.ts';
import { selectObservations } from './former-schema.ts';
import { compactName, finishSwap, listObservationFiles, sortOut, swapPartition } from './partition-files.ts';
import { copyToParquet, type LakeSettings, withEngine } from './write-parts.ts';

interface Compaction {
  /** Number of files that were merged. */
  readonly files: number;
  readonly rows: number;
}

/**
 * Merges all files of a source's service date into one, of the present schema. Readers find the old files or the new one; after a crash the
 * next compaction, or the next process that opens the source's observations, completes the swap. Only one compaction
 * may work on a day of a source at a time; the source may be written meanwhile.
 * @returns null when there is one file, of the present schema, or none
 * @throws ExternalError `partition_incomplete` when the new file holds other rows than the old ones
 */
export async function compactObservations(
  dataDir: string,
  source: SourceId,
  serviceDate: ServiceDate,
  settings: LakeSettings,
): Promise<Compaction | null> {
  // Other days may be swapped at the same time by other workers.
  await finishSwap(dataDir, source, serviceDate);
  const files = await listObservationFiles(dataDir, source, serviceDate);
  if (files.length === 0) return null;
  const { newest } = sortOut(files.map((file) => path.basename(file)));
  return withEngine(dataDir, settings, async (db, folder) => {
    if (files.length === 1 && (await findFormerFiles(db, files)).size === 0) return null;
    const list = `[${files.map(sqlPath).join(', ')}]`;
    const rows = await countRows(db, list);
    const aside = path.join(folder, 'compacted');
    await mkdir(aside);
    const facts = await parquetFacts(dataDir, 'observations', [source]);
    await copyToParquet(db, selectObservations(files), path.join(aside, compactName(newest)), rows, facts);
    await syncFolder(aside);
    await swapPartition(dataDir, source, serviceDate, aside);
    return { files: files.length, rows };
  });
}

async function countRows(db: Duckdb, list: string): Promise<number> {
  const [footers] = await db.query(`select sum(num_rows)::bigint as n from parquet_file_metadata(${list})`);
  return Number(footers?.n);
}
