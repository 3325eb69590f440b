import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { JDBC_CATALOG } from '../../pipeline/scale-out/lakehouse/jdbc-catalog.ts';
import type { LakehouseTable } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { readSession } from './page-sessions.ts';
import { loadIcebergReader } from './services/duckdb-extensions.ts';
import { runPyIceberg } from './services/pyiceberg.ts';
import type { S3Address } from './services/s3.ts';
import { AWS_BUNDLE, installSpark, POSTGRES_DRIVER, SPARK_RUNTIME } from './services/spark.ts';
import { assertSums, type Sums, sumUpRelation } from './table-sums.ts';

/** Iceberg tables in a store. */
interface TableStore {
  readonly s3: S3Address;
  /** URL of the PostgreSQL database of their catalog. */
  readonly catalog: string;
  /** URL of the folder of all tables: `s3://…`. */
  readonly warehouse: string;
}

/** The sums that every reader must find, by table. */
export type WantedSums = ReadonlyMap<LakehouseTable, Sums>;

/**
 * Reads the tables in the store with PyIceberg, Spark and DuckDB, each with its session in docs/lake.md.
 * @returns a summary of what was read, and the times
 * @throws Error with the failed installation, or the reader, table and column that differ
 */
export async function readFromStore(store: TableStore, wanted: WantedSums): Promise<string> {
  const readers = { PyIceberg: readWithPyIceberg, Spark: readWithSpark, DuckDB: readWithDuckdb };
  const times: string[] = [];
  for (const [name, readTables] of Object.entries(readers)) {
    const started = performance.now();
    const found = await readTables(store, [...wanted.keys()]);
    for (const [i, [table, sums]] of [...wanted].entries()) {
      assertSums(`${name}, from the store: ${nameOf(table)}`, found[i]!, sums);
    }
    times.push(`${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  }
  const rows = [...wanted.values()].reduce((sum, table) => sum + table.rows, 0);
  return `${wanted.size} tables of ${rows} rows are read from the store by ${times.join(', ')}`;
}

export function nameOf({ definition: { namespace, name } }: LakehouseTable): string {
  return `${namespace}.${name}`;
}

type ReadTables = (store: TableStore, tables: readonly LakehouseTable[]) => Promise<readonly Sums[]>;

const readWithPyIceberg: ReadTables = async ({ s3, catalog }, tables) => {
  const session = await readSession(['load_catalog'], {
    'postgresql+psycopg2://taktgeber:PASSWORD@localhost/taktgeber': catalog.replace(/^\w+:/, 'postgresql+psycopg2:'),
    ...placesOf(s3),
  });
  const [found] = await runPyIceberg<[readonly Sums[]]>([['read_catalog', session, tables.map(nameOf)]]);
  return found;
};

const readWithSpark: ReadTables = async ({ s3, catalog, warehouse }, tables) => {
  const { host, pathname, username, password } = new URL(catalog);
  const packages = [SPARK_RUNTIME, AWS_BUNDLE, POSTGRES_DRIVER];
  const session = await readSession(['SparkSession', ...packages], {
    'jdbc:postgresql://localhost/taktgeber?user=taktgeber&password=PASSWORD': `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
    's3://bucket/prefix/iceberg': warehouse,
    ...placesOf(s3),
  });
  const spark = await installSpark(packages);
  const names = tables.map((table) => `${JDBC_CATALOG}.${nameOf(table)}`);
  return (await spark.run({ session, tables: names, queries: [] })).tables;
};

/** Without a catalog, by the version hints in the folders of the tables. */
const readWithDuckdb: ReadTables = async ({ s3, warehouse }, tables) => {
  const { protocol, host } = new URL(s3.endpoint);
  const { 'https://s3.example': _, ...places } = placesOf(s3);
  const session = await readSession(['create secret'], {
    's3://bucket/prefix/iceberg': warehouse,
    's3.example': host,
    'use_ssl true': `use_ssl ${protocol === 'https:'}`,
    ...places,
  });
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    await loadIcebergReader(db);
    await db.run(session);
    const found: Sums[] = [];
    for (const table of tables) {
      const { namespace, name, columns } = table.definition;
      found.push(await sumUpRelation(db, columns, `iceberg_scan('${warehouse}/${namespace}/${name}')`));
    }
    return found;
  } finally {
    db.close();
  }
};

/** Addresses by their text on the page. */
function placesOf({ endpoint, region, accessKeyId, secretAccessKey }: S3Address) {
  return {
    'https://s3.example': endpoint,
    'us-east-1': region,
    ACCESS_KEY: accessKeyId,
    SECRET_KEY: secretAccessKey,
  };
}
