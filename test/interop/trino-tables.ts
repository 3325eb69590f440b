import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { toTrinoName } from '../../pipeline/effects/sql-dialects/trino-text.ts';
import { type LakehouseTable, listLakehouseTables } from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import type { TrinoService } from './services/trino.ts';
import { nameOf, type WantedSums } from './store-readers.ts';
import { assertSums, type Sums, sumUpTable, toSums } from './table-sums.ts';

type Query = TrinoService['query'];

/**
 * Checks that Trino finds the rows of the lake in every Iceberg table.
 * @throws Error with the table and column that differ
 */
export async function compareTables(dataDir: string, query: Query): Promise<string> {
  const tables = listLakehouseTables();
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  let rows = 0;
  try {
    for (const table of tables) {
      const found = await sumUpOnTrino(query, table);
      assertSums(`Trino: ${nameOf(table)}`, found, await sumUpTable(db, dataDir, table));
      rows += found.rows;
    }
  } finally {
    db.close();
  }
  return `${tables.length} tables of ${rows} rows read as DuckDB reads the lake`;
}

/** Sums of all tables in the catalog `iceberg` of Trino; a table without any file is not in the catalog. */
export async function sumUpCatalog(query: Query): Promise<WantedSums> {
  const entries = await query('select table_schema, table_name from iceberg.information_schema.tables');
  const names = new Set(entries.map(([namespace, name]) => `${namespace}.${name}`));
  const sums = new Map<LakehouseTable, Sums>();
  for (const table of listLakehouseTables().filter((one) => names.has(nameOf(one)))) {
    sums.set(table, await sumUpOnTrino(query, table));
  }
  if (sums.size === 0) throw new Error('the catalog of Trino has none of the tables');
  return sums;
}

async function sumUpOnTrino(query: Query, table: LakehouseTable): Promise<Sums> {
  const { columns } = table.definition;
  const sums = Object.entries(columns).flatMap(([column, [type]]) => {
    const quoted = toTrinoName(column);
    return [`count(${quoted})`, `coalesce(sum(${numberOf(quoted, type)}), 0)`];
  });
  const [row] = await query(`select ${['count(*)', ...sums].join(', ')} from iceberg.${nameOf(table)}`);
  return toSums(columns, row!);
}

function numberOf(column: string, type: string): string {
  if (type === 'DOUBLE' || type === 'FLOAT') return `cast(${column} as double)`;
  return `cast(${toWhole(column, type)} as decimal(38, 0))`;
}

function toWhole(column: string, type: string): string {
  if (type.endsWith('[]')) return `cardinality(${column})`;
  if (type === 'VARCHAR') return `from_base(substr(lower(to_hex(md5(to_utf8(${column})))), 1, 8), 16)`;
  // Microseconds have 16 digits, which fit into a double; rounding removes the error.
  if (type === 'TIMESTAMP WITH TIME ZONE') return `round(to_unixtime(${column}) * 1000000)`;
  if (type === 'DATE') return `date_diff('day', date '1970-01-01', ${column})`;
  return type === 'BOOLEAN' ? `cast(${column} as integer)` : column;
}
