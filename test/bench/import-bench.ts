import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { openDuckdb, readSql, sqlPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { sizeOf } from '../../pipeline/effects/files.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { findMapping } from '../../pipeline/history/archives/find-mapping.ts';
import { importArchive } from '../../pipeline/history/archives/import-archive.ts';
import { hashFile } from '../../pipeline/history/archives/read-archive.ts';
import { withEngine } from '../../pipeline/lake/observations/write-parts.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { ImportInput } from './child-tasks.ts';
import type { Metric } from './metric.ts';
import { quickSize } from './national-feed.ts';
import { measureProcess } from './processor-time.ts';

/** One thread, so that the numbers do not depend on the number of cores. */
const settings = { memoryLimit: '1500MB', threads: 1 };
const DAYS = 176;

export interface ImportMeasures {
  readonly rows: number;
  readonly seconds: number;
  /** CPU time, which other load on the machine affects less. */
  readonly cpuSeconds: number;
  /** The same for a copy by DuckDB. */
  readonly copyCpuSeconds: number;
  readonly peakBytes: number;
}

/** Imports and copies an archive of half a year. */
export async function benchImport(bench: Bench): Promise<Metric[]> {
  const folder = await bench.makeFolder();
  const days = bench.size === quickSize ? Math.round(DAYS / 10) : DAYS;
  bench.progress(`an archive of ${days} days`);
  await runInChild('import_archive', { folder, days });
  bench.progress('import of the archive');
  const { rows, seconds, cpuSeconds, copyCpuSeconds, peakBytes } = await runInChild('import', { folder, days });
  const name = 'import of an archive, one thread';
  return [
    { name: `${name}: rows`, value: rows, unit: '' },
    { name: `${name}: time`, value: seconds, unit: 's', target: { atMost: 40 } },
    { name: `${name}: processor time`, value: cpuSeconds, unit: 's' },
    { name: `${name}: processor time of a copy`, value: copyCpuSeconds, unit: 's' },
    { name: `${name}: ratio to the copy`, value: cpuSeconds / copyCpuSeconds, unit: '', target: { atMost: 17 } },
    { name: `${name}: peak memory`, value: peakBytes / 1e9, unit: 'GB', target: { atMost: 2 } },
  ];
}

const archiveFile = (folder: string) => path.join(folder, 'archive.parquet');

/** @returns the bytes of the archive */
export async function writeMadeUpArchive({ folder, days }: ImportInput): Promise<number> {
  await withOneThread(folder, async (run) => {
    await run(`set variable archive_days = ${days}`);
    const select = await readSql('test/bench/sql/made_up_archive.sql');
    await run(`copy (${select}) to ${sqlText(archiveFile(folder))} (format parquet)`);
  });
  return sizeOf(archiveFile(folder));
}

export async function measureImport({ folder }: ImportInput): Promise<ImportMeasures> {
  const [file, dataDir] = [archiveFile(folder), path.join(folder, 'data')];
  await mkdir(dataDir);
  const copy = await measureProcess(() =>
    withOneThread(folder, (run) =>
      run(`copy (from read_parquet(${sqlPath(file)})) to ${sqlText(`${file}.copy`)}
      (format parquet)`),
    ),
  );
  const { mapping, hash } = await findMapping('pl_rail', folder);
  const { seconds, cpuSeconds, result } = await measureProcess(async () => {
    const facts = {
      dataDir,
      source: mapping.source,
      mapping,
      mappingHash: hash,
      archiveName: path.basename(file),
      archiveHash: await hashFile(file),
      builtAt: new Date(0).toISOString(),
    };
    const request = { facts, file, from: null, to: null, isDryRun: false, isForced: false };
    return withEngine(dataDir, settings, (db, work) => importArchive(db, work, request, silentLog));
  });
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { rows: result.record.rowsRead, seconds, cpuSeconds, copyCpuSeconds: copy.cpuSeconds, peakBytes };
}

async function withOneThread(folder: string, task: (run: (sql: string) => Promise<void>) => Promise<void>) {
  const db = await openDuckdb({ ...settings, temporaryFolder: path.join(folder, 'spill') });
  try {
    await task(db.run);
  } finally {
    db.close();
  }
}
