import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlPath } from '../../effects/duckdb.ts';
import { syncFolder } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { findFormerFiles, parquetFacts } from '../parquet-facts.ts';
import { selectObservations } from './former-schema.ts';
import { finishSwap, listObservationFiles, planCompaction, swapPartition } from './partition-files.ts';
import { copyToParquet, type LakeSettings, withEngine } from './write-parts.ts';

interface Compaction {
  /** Number of files that were merged. */
  readonly files: number;
  readonly rows: number;
}

/**
 * Merges the files of each writer of a source's service date into one, of the present schema. Readers find the old files
 * or the new ones; after a crash the next compaction, or the next process that opens the source's observations, completes
 * the swap. Only one compaction may work on a day of a source at a time; the source may be written meanwhile.
 * @returns null if each writer has one file, of the present schema, or there is none
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
  const plan = planCompaction(files.map((file) => path.basename(file)));
  return withEngine(dataDir, settings, async (db, folder) => {
    const former = await findFormerFiles(db, files);
    const aside = path.join(folder, 'compacted');
    await mkdir(aside);
    const facts = await parquetFacts(dataDir, 'observations', [source]);
    const merged = { files: 0, rows: 0 };
    for (const [name, parts] of plan) {
      const replaced = files.filter((file) => parts.includes(path.basename(file)));
      if (replaced.length === 1 && !former.has(replaced[0]!)) continue;
      const rows = await countRows(db, `[${replaced.map(sqlPath).join(', ')}]`);
      await copyToParquet(db, selectObservations(replaced), path.join(aside, name), rows, facts);
      merged.files += replaced.length;
      merged.rows += rows;
    }
    if (merged.files === 0) return null;
    await syncFolder(aside);
    await swapPartition(dataDir, source, serviceDate, aside);
    return merged;
  });
}

async function countRows(db: Duckdb, list: string): Promise<number> {
  const [footers] = await db.query(`select sum(num_rows)::bigint as n from parquet_file_metadata(${list})`);
  return Number(footers?.n);
}
