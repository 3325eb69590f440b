import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { type LakehouseTable, listLakehouseTables } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { toEnvironment } from './everything.ts';
import { writeLake } from './published-lake.ts';
import { runCli } from './run-cli.ts';
import { startPostgres } from './services/postgres.ts';
import { startS3 } from './services/s3.ts';
import { makeServiceFolder } from './services/service.ts';
import { readFromStore, type WantedSums } from './store-readers.ts';
import { type Sums, sumUpTable } from './table-sums.ts';

/**
 * Publishes every table with rows to an S3 store, with its catalog in PostgreSQL, and checks that readers find the rows of
 * the lake there.
 * @returns a summary of what was read
 */
export async function readStoredTables(): Promise<string> {
  const s3 = await startS3();
  const catalog = await (await startPostgres()).createDatabase();
  const store = toEnvironment(s3);
  const { folder: dataDir, remove } = await makeServiceFolder('store-tables');
  try {
    await writeLake(dataDir);
    await runCli(dataDir, store, 'store', 'publish');
    await runCli(dataDir, { ...store, TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL: catalog }, 'run', 'publish-iceberg');
    const warehouse = `${store.TAKTGEBER_STORE_URL}/iceberg`;
    return await readFromStore({ s3, catalog, warehouse }, await sumUpLake(dataDir));
  } finally {
    await remove();
  }
}

async function sumUpLake(dataDir: string): Promise<WantedSums> {
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    const sums = new Map<LakehouseTable, Sums>();
    for (const table of listLakehouseTables()) sums.set(table, await sumUpTable(db, dataDir, table));
    return sums;
  } finally {
    db.close();
  }
}
