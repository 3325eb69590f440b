import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { martTables } from '../../pipeline/history/marts/mart-tables.ts';
import { icebergFileCatalog, startTrino, type TrinoService } from '../interop/services/trino.ts';
import { runTool } from '../interop/tools.ts';
import { runInChild } from './child.ts';
import { askedFile } from './europe-marts.ts';
import { quantile } from './figure.ts';
import { readUsage } from './processor-time.ts';

/** Of each node, in megabytes. */
const WORKER_HEAP = 2048;

export interface TrinoMeasures {
  readonly seconds: number;
  /** Of all its processes and of ours. */
  readonly cpuSeconds: number;
  /** Of the largest process. */
  readonly peakBytes: number;
  readonly askMilliseconds: number;
}

/**
 * The marts of a day and questions to a month on Trino, over the Iceberg tables of the same files.
 * @throws Error where Trino cannot be brought up, or has too little memory
 */
export async function measureOnTrino(dataDir: string, nodes: 1 | 2): Promise<TrinoMeasures> {
  await runTool(
    process.execPath,
    [projectPath('jobs/bin.mjs'), 'run', 'publish-iceberg', '--data', dataDir],
    '',
    dataDir,
  );
  // Its own each time: the schemas of the one before stay in its folder.
  const metadata = await mkdtemp(path.join(dataDir, 'trino-'));
  const trino = await startTrino({
    workers: nodes === 1 ? 0 : nodes,
    coordinatorHeap: nodes === 1 ? WORKER_HEAP : 768,
    workerHeap: WORKER_HEAP,
    catalogs: { files: icebergFileCatalog(path.join(metadata, 'iceberg')), asked: hiveCatalog(metadata) },
  });
  try {
    await registerTables(trino, dataDir);
    const before = await readUsage(trino.pids);
    const built = await runInChild('europe_marts', { dataDir, trinoUrl: trino.address });
    const after = await readUsage(trino.pids);
    const asked = await runInChild('europe_asks', { dataDir, trinoUrl: trino.address });
    return {
      seconds: built.seconds,
      cpuSeconds: built.cpuSeconds + after.cpuSeconds - before.cpuSeconds,
      peakBytes: after.peakBytes,
      askMilliseconds: quantile(asked, 0.5),
    };
  } finally {
    await trino.stop();
  }
}

function hiveCatalog(folder: string) {
  return {
    'connector.name': 'hive',
    'hive.metastore': 'file',
    'hive.metastore.catalog.dir': `local://${folder}/hive`,
    'fs.native-local.enabled': 'true',
    'local.location': '/',
  };
}

async function registerTables(trino: TrinoService, dataDir: string): Promise<void> {
  await trino.query('create schema files.lake');
  const folder = path.join(dataDir, 'iceberg', 'lake', 'stop_events');
  await trino.query(`call files.system.register_table('lake', 'stop_events', 'file://${folder}')`);
  await trino.query('create schema asked.marts');
  const columns = Object.entries(martTables.line_daily.columns).map(([name, [type]]) => `"${name}" ${type}`);
  const location = path.dirname(askedFile(dataDir));
  await trino.query(
    `create table asked.marts.line_daily (${columns.join(', ')}) with (external_location = 'local://${location}', format = 'PARQUET')`,
  );
}
