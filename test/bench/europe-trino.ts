import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { icebergFolder, martsFolder } from '../../pipeline/lake/paths.ts';
import { historyTables } from '../../pipeline/snapshots/history-contract.ts';
import { runCli } from '../interop/run-cli.ts';
import { icebergFileCatalog, startTrino, type TrinoService } from '../interop/services/trino.ts';
import { runInChild } from './child.ts';
import type { Spent } from './europe-marts.ts';
import type { measureEuropeQueries } from './europe-queries.ts';
import { readUsage } from './processor-time.ts';

/** Memory of each node in megabytes. */
const WORKER_HEAP = 2048;

interface TrinoMeasures {
  /** CPU time of all Trino processes and this one; memory of the largest process. */
  readonly marts: Spent;
  readonly latencies: Awaited<ReturnType<typeof measureEuropeQueries>>;
}

/**
 * Measures the marts of a day and the queries on a month in Trino, over Iceberg tables of the same files.
 * @param dataDir contains the marts of the month, which are not modified
 * @throws Error if Trino cannot be started or has too little memory
 */
export async function measureOnTrino(dataDir: string, nodes: 1 | 2): Promise<TrinoMeasures> {
  await runCli(dataDir, {}, 'run', 'publish-iceberg');
  // A new folder each time, since the previous one contains the schemas of its run.
  const metadata = await mkdtemp(path.join(dataDir, 'trino-'));
  const trino = await startTrino({
    workers: nodes === 1 ? 0 : nodes,
    coordinatorHeap: nodes === 1 ? WORKER_HEAP : 768,
    workerHeap: WORKER_HEAP,
    catalogs: { files: icebergFileCatalog(path.join(metadata, 'iceberg')) },
  });
  try {
    await registerTables(trino, dataDir);
    const marts = await measureMarts(dataDir, trino);
    const latencies = await runInChild('europe_queries', { dataDir, trinoUrl: trino.address });
    return { marts, latencies };
  } finally {
    await trino.stop();
  }
}

/** Measures the day only: the files of the month, which the history links, are moved aside meanwhile. */
async function measureMarts(dataDir: string, trino: TrinoService): Promise<Spent> {
  const aside = path.join(dataDir, 'marts-of-the-month');
  await rename(martsFolder(dataDir), aside);
  try {
    const before = await readUsage(trino.pids);
    const built = await runInChild('europe_marts', { dataDir, trinoUrl: trino.address });
    const after = await readUsage(trino.pids);
    const cpuSeconds = built.cpuSeconds + after.cpuSeconds - before.cpuSeconds;
    return { seconds: built.seconds, cpuSeconds, peakBytes: after.peakBytes };
  } finally {
    await rm(martsFolder(dataDir), { recursive: true, force: true });
    await rename(aside, martsFolder(dataDir));
  }
}

async function registerTables(trino: TrinoService, dataDir: string): Promise<void> {
  for (const schema of ['lake', 'marts']) await trino.query(`create schema files.${schema}`);
  for (const table of ['lake.stop_events', ...historyTables.map((name) => `marts.${name}`)]) {
    const [schema, name] = table.split('.');
    const folder = path.join(icebergFolder(dataDir), schema!, name!);
    await trino.query(`call files.system.register_table('${schema}', '${name}', 'file://${folder}')`);
  }
}
