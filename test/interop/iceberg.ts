import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import {
  type LakehouseTable,
  listLakehouseTables,
  toTableFolder,
} from '../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { listLakeFiles } from '../../pipeline/scale-out/lakehouse/list-lake-files.ts';
import { publishDay } from '../support/worlds/marts.ts';
import { runJob, writePublishedLake } from './published-lake.ts';
import { loadIcebergReader } from './services/duckdb-extensions.ts';
import { runPyIceberg } from './services/pyiceberg.ts';
import { assertSums, type Sums, sumUpRelation, sumUpTable } from './table-sums.ts';

const REBUILDS = 6;
const REBUILT_DAYS = ['2026-02-10', '2026-02-11'];

/**
 * Checks that PyIceberg and the Iceberg reader of DuckDB find the rows of the lake in every table, that PyIceberg skips files
 * by partitions and bounds, and that it sees days either before or after their rebuild.
 * @returns a summary of what was read
 */
export async function readIcebergTables(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-iceberg-'));
  try {
    await writePublishedLake(dataDir);
    const read = await compareAll(dataDir);
    const scanned = await scanWithDuckdb(dataDir);
    const seen = await rebuildWhileRead(dataDir);
    return `${read}; ${scanned}; ${seen}`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function folderOf(dataDir: string, name: string): string {
  const table = listLakehouseTables().find(({ definition }) => definition.name === name)!;
  return toTableFolder(dataDir, null, table.definition).folder;
}

// ---- Rows --------------------------------------------------------------------------------------

interface ReadTable extends Sums {
  /** Files planned without a filter, and with each requested filter. */
  readonly files: readonly number[];
}

async function compareAll(dataDir: string): Promise<string> {
  const tables = listLakehouseTables();
  const request = tables.map(({ definition }) => {
    const { folder } = toTableFolder(dataDir, null, definition);
    return ['read', folder, listFilters(definition.columns)];
  });
  const answers = await runPyIceberg<readonly ReadTable[]>(request);
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    for (const [i, table] of tables.entries()) await compare(db, dataDir, table, answers[i]!);
  } finally {
    db.close();
  }
  const rows = answers.reduce((sum, answer) => sum + answer.rows, 0);
  return `${tables.length} tables of ${rows} rows read as DuckDB reads the lake`;
}

/** A day with rows in every table, a partition without any, and a text that sorts last. */
function listFilters(columns: LakehouseTable['definition']['columns']): string[] {
  const date = 'month_start' in columns ? 'month_start' : 'service_date';
  const day = date === 'month_start' ? '2026-01-01' : '2026-01-15';
  const text = Object.entries(columns).find(([name, [type]]) => type === 'VARCHAR' && name !== 'source')![0];
  return [`${date} = '${day}'`, `${date} = '1999-01-01'`, `${text} = '\u{10ffff}'`];
}

async function compare(db: Duckdb, dataDir: string, table: LakehouseTable, read: ReadTable): Promise<void> {
  const { namespace, name } = table.definition;
  const { files } = await listLakeFiles(dataDir, table);
  assertSums(`${namespace}.${name}`, read, await sumUpTable(db, dataDir, table));
  const isDay = ({ folder }: { readonly folder: string }) => /2026-01(-15)?$/.test(folder);
  const wanted = [files.length, files.filter(isDay).length, 0, 0];
  if (JSON.stringify(read.files) !== JSON.stringify(wanted)) {
    throw new Error(`${namespace}.${name}: ${read.files} files are read, not ${wanted}`);
  }
}

// ---- DuckDB's own reader ------------------------------------------------------------------------

/** @throws Error if its extensions cannot be installed for this version of DuckDB, or read other rows */
async function scanWithDuckdb(dataDir: string): Promise<string> {
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    await loadIcebergReader(db);
    for (const table of listLakehouseTables()) {
      const { namespace, name, columns } = table.definition;
      const { folder } = toTableFolder(dataDir, null, table.definition);
      const scanned = await sumUpRelation(db, columns, `iceberg_scan(${sqlText(folder)})`);
      assertSums(`${namespace}.${name}`, scanned, await sumUpTable(db, dataDir, table));
    }
  } finally {
    db.close();
  }
  return 'the same by the Iceberg reader of DuckDB';
}

// ---- Rebuilds ----------------------------------------------------------------------------------

/** Two days whose rows contain the number of their build. */
async function publishBuild(dataDir: string, number: number): Promise<void> {
  for (const date of REBUILT_DAYS) {
    const rows = Array.from({ length: 50 }, (_, position) => ({ trip_id: `${date} ${number}`, position }));
    await publishDay(dataDir, 'rebuilt', date as ServiceDate, rows);
  }
}

/** Rebuilds two days repeatedly while another process reads them. */
async function rebuildWhileRead(dataDir: string): Promise<string> {
  const folder = folderOf(dataDir, 'stop_events');
  await rm(path.join(dataDir, 'lake', 'stop_events'), { recursive: true });
  await publishBuild(dataDir, 0);
  await runJob(dataDir, 'publish-iceberg');
  const until = path.join(dataDir, 'tmp', 'read-enough');
  const watching = runPyIceberg<readonly [{ readonly reads: number; readonly states: readonly (readonly string[])[] }]>(
    [['watch', folder, 'trip_id', until]],
  );
  for (let number = 1; number < REBUILDS; number++) {
    await publishBuild(dataDir, number);
    await runJob(dataDir, 'publish-iceberg');
  }
  await writeFile(until, '');
  const [{ reads, states }] = await watching;
  const whole = Array.from({ length: REBUILDS }, (_, number) => REBUILT_DAYS.map((date) => `${date} ${number}`));
  const mixed = states.find((state) => !whole.some((one) => JSON.stringify(one) === JSON.stringify(state)));
  if (mixed) throw new Error(`a reader saw a mixed state: ${mixed.join(', ')}`);
  const [former] = await runPyIceberg<readonly [readonly string[]]>([['read_at', folder, 2, 'trip_id']]);
  if (JSON.stringify(former) !== JSON.stringify(whole[0])) {
    throw new Error(`the former snapshot has ${former.join(', ')}`);
  }
  return `${reads} reads during ${REBUILDS - 1} rebuilds saw ${states.length} states, each of them whole`;
}
