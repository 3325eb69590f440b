import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { nowInstant, systemClock } from '../../pipeline/effects/clock.ts';
import { type Duckdb, openDuckdb, sqlName, sqlPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { type LakehouseTable, listLakehouseTables, toTableFolder } from '../../pipeline/lakehouse/lakehouse-tables.ts';
import { listLakeFiles } from '../../pipeline/lakehouse/list-lake-files.ts';
import { addDays, localDate, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { build, publishDay } from '../support/marts.ts';
import { writeObservedTables } from '../support/observed-tables.ts';
import { installPythonPackages, runTool } from './tools.ts';

const PYICEBERG = 'pyiceberg[pyarrow]==0.12.0';
/** Of the version of the engine in this project, which loads no other. */
const DUCKDB_EXTENSIONS = ['avro', 'iceberg'];
const READER = projectPath('test/interop/read-iceberg.py');
const REBUILDS = 6;
const REBUILT_DAYS = ['2026-02-10', '2026-02-11'];

/**
 * PyIceberg, and DuckDB's own reader, read every table with the rows that are in the lake. PyIceberg skips files by
 * partitions and bounds, and sees days before or after their rebuild.
 * @returns what was read
 */
export async function readIcebergTables(): Promise<string> {
  const python = await installPythonPackages('pyiceberg', [PYICEBERG]);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-iceberg-'));
  try {
    await writeLake(dataDir);
    await run(dataDir, 'publish-iceberg');
    const read = await compareAll(python, dataDir);
    const scanned = await scanWithDuckdb(dataDir);
    const seen = await rebuildWhileRead(python, dataDir);
    return `${read}; ${scanned}; ${seen}`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Every table with rows, and some days of the simulated country. */
async function writeLake(dataDir: string): Promise<void> {
  const yesterday = addDays(localDate(nowInstant(systemClock), 'UTC'), -1);
  await run(dataDir, 'build-sample-history', '--from', addDays(yesterday, -2), '--to', yesterday);
  await writeObservedTables(dataDir);
  await build(dataDir);
}

async function run(dataDir: string, ...argv: string[]): Promise<void> {
  await runTool(process.execPath, [projectPath('jobs/bin.mjs'), 'run', ...argv, '--data', dataDir], '', dataDir);
}

function folderOf(dataDir: string, name: string): string {
  const table = listLakehouseTables().find(({ definition }) => definition.name === name)!;
  return toTableFolder(dataDir, null, table.definition).folder;
}

async function ask<Answer>(python: string, request: readonly unknown[]): Promise<Answer> {
  const said = await runTool(python, ['-W', 'ignore', READER], JSON.stringify(request));
  // Warnings of libraries come before it.
  return JSON.parse(said.slice(said.lastIndexOf('\n') + 1)) as Answer;
}

// ---- Rows --------------------------------------------------------------------------------------

interface ReadTable {
  readonly rows: number;
  /** By column: values that are not null, and their sum. */
  readonly columns: Readonly<Record<string, readonly [count: number, sum: string | number]>>;
  /** Planned without a filter, and with each of those asked for. */
  readonly files: readonly number[];
}

async function compareAll(python: string, dataDir: string): Promise<string> {
  const tables = listLakehouseTables();
  const request = tables.map(({ definition }) => {
    const { folder } = toTableFolder(dataDir, null, definition);
    return ['read', folder, listFilters(definition.columns)];
  });
  const answers = await ask<readonly ReadTable[]>(python, request);
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    for (const [i, table] of tables.entries()) await compare(db, dataDir, table, answers[i]!);
  } finally {
    db.close();
  }
  const rows = answers.reduce((sum, answer) => sum + answer.rows, 0);
  return `${tables.length} tables of ${rows} rows read as DuckDB reads the lake`;
}

/** A day that every table has rows of, a partition that none has, and a text after all others. */
function listFilters(columns: LakehouseTable['definition']['columns']): string[] {
  const date = 'month_start' in columns ? 'month_start' : 'service_date';
  const day = date === 'month_start' ? '2026-01-01' : '2026-01-15';
  const text = Object.entries(columns).find(([name, [type]]) => type === 'VARCHAR' && name !== 'source')![0];
  return [`${date} = '${day}'`, `${date} = '1999-01-01'`, `${text} = '\u{10ffff}'`];
}

async function compare(db: Duckdb, dataDir: string, table: LakehouseTable, read: ReadTable): Promise<void> {
  const { namespace, name } = table.definition;
  const { files } = await listLakeFiles(dataDir, table);
  const expected = await sumUp(db, table, files);
  const isDay = ({ folder }: { readonly folder: string }) => /2026-01(-15)?$/.test(folder);
  const wanted = { ...expected, files: [files.length, files.filter(isDay).length, 0, 0] };
  const differs = (found: unknown, want: unknown) => JSON.stringify(found) !== JSON.stringify(want);
  const columns = Object.keys(wanted.columns).filter((column) => differs(read.columns[column], wanted.columns[column]));
  for (const column of columns) {
    const found = JSON.stringify(read.columns[column]);
    throw new Error(`${namespace}.${name}: ${column} is ${found}, not ${JSON.stringify(wanted.columns[column])}`);
  }
  if (read.rows !== wanted.rows) throw new Error(`${namespace}.${name}: ${read.rows} rows, not ${wanted.rows}`);
  if (differs(read.files, wanted.files)) {
    throw new Error(`${namespace}.${name}: ${read.files} files are read, not ${wanted.files}`);
  }
}

/** The sums of the files of a table, as the lake's own engine reads them. */
async function sumUp(
  db: Duckdb,
  { definition: { columns } }: LakehouseTable,
  files: readonly { readonly file: string; readonly folder: string }[],
): Promise<Sums> {
  const isOfFolder = files[0]?.folder.startsWith('source=') ?? false;
  const hive = isOfFolder
    ? 'hive_partitioning = true, hive_types = {source: VARCHAR, service_date: DATE}'
    : 'hive_partitioning = false';
  const list = files.map(({ file }) => sqlPath(file)).join(', ');
  return sumUpRelation(db, columns, `read_parquet([${list}], ${hive}, union_by_name = true)`);
}

type Sums = Omit<ReadTable, 'files'>;

async function sumUpRelation(
  db: Duckdb,
  columns: LakehouseTable['definition']['columns'],
  relation: string,
): Promise<Sums> {
  const sums = Object.entries(columns).flatMap(([name, [type]], i) => {
    const value = sumOf(sqlName(name), type);
    return [`count(${sqlName(name)})::double as n${i}`, `coalesce(sum(${value}), 0) as s${i}`];
  });
  const [row] = await db.query(`select count(*)::double as n, ${sums.join(', ')} from ${relation}`);
  const summed = Object.entries(columns).map(([name, [type]], i) => {
    const isFraction = (type === 'DOUBLE' || type === 'FLOAT') && Number(row![`n${i}`]) > 0;
    const sum = row![`s${i}`];
    return [name, [Number(row![`n${i}`]), isFraction ? Math.round(Number(sum) * 1000) / 1000 : String(sum)]] as const;
  });
  return { rows: Number(row!.n), columns: Object.fromEntries(summed) };
}

function sumOf(column: string, type: string): string {
  if (type.endsWith('[]') || type === 'VARCHAR') return `length(${column})::hugeint`;
  if (type === 'TIMESTAMP WITH TIME ZONE') return `epoch_us(${column})::hugeint`;
  if (type === 'DATE') return `(${column} - date '1970-01-01')::hugeint`;
  return type === 'DOUBLE' || type === 'FLOAT' ? `${column}::double` : `${column}::hugeint`;
}

// ---- DuckDB's own reader ------------------------------------------------------------------------

/** @throws Error when its extensions cannot be installed for this version of DuckDB, or read other rows */
async function scanWithDuckdb(dataDir: string): Promise<string> {
  const db = await openDuckdb({ threads: 1, memoryLimit: '1GB' });
  try {
    await loadExtensions(db);
    for (const table of listLakehouseTables()) {
      const { namespace, name, columns } = table.definition;
      const { folder } = toTableFolder(dataDir, null, table.definition);
      const scanned = await sumUpRelation(db, columns, `iceberg_scan(${sqlText(folder)})`);
      const { files } = await listLakeFiles(dataDir, table);
      const expected = await sumUp(db, table, files);
      if (JSON.stringify(scanned) !== JSON.stringify(expected)) {
        throw new Error(`DuckDB reads ${namespace}.${name} as ${JSON.stringify(scanned)}`);
      }
    }
  } finally {
    db.close();
  }
  return 'the same by the Iceberg reader of DuckDB';
}

async function loadExtensions(db: Duckdb): Promise<void> {
  const [row] = await db.query('select version() as version');
  const version = String(row!.version).replace(/^v/, '');
  const packages = DUCKDB_EXTENSIONS.map((name) => `duckdb-extension-${name}==${version}`);
  const python = await installPythonPackages('duckdb', packages);
  const list = `import sysconfig; print(sysconfig.get_path('purelib'))`;
  const site = (await runTool(python, ['-c', list], '')).trim();
  for (const name of DUCKDB_EXTENSIONS) {
    const file = path.join(site, `duckdb_extension_${name}`, 'extensions', `v${version}`, `${name}.duckdb_extension`);
    await db.run(`load ${sqlText(file)}`);
  }
}

// ---- Rebuilds ----------------------------------------------------------------------------------

/** Two days, whose rows say by which build they were made. */
async function publishBuild(dataDir: string, number: number): Promise<void> {
  for (const date of REBUILT_DAYS) {
    const rows = Array.from({ length: 50 }, (_, position) => ({ trip_id: `${date} ${number}`, position }));
    await publishDay(dataDir, 'rebuilt', date as ServiceDate, rows);
  }
}

/** Rebuilds two days again and again, while another process reads them. */
async function rebuildWhileRead(python: string, dataDir: string): Promise<string> {
  const folder = folderOf(dataDir, 'stop_events');
  await rm(path.join(dataDir, 'lake', 'stop_events'), { recursive: true });
  await publishBuild(dataDir, 0);
  await run(dataDir, 'publish-iceberg');
  const until = path.join(dataDir, 'tmp', 'read-enough');
  const watching = ask<readonly [{ readonly reads: number; readonly states: readonly (readonly string[])[] }]>(python, [
    ['watch', folder, 'trip_id', until],
  ]);
  for (let number = 1; number < REBUILDS; number++) {
    await publishBuild(dataDir, number);
    await run(dataDir, 'publish-iceberg');
  }
  await writeFile(until, '');
  const [{ reads, states }] = await watching;
  const whole = Array.from({ length: REBUILDS }, (_, number) => REBUILT_DAYS.map((date) => `${date} ${number}`));
  const mixed = states.find((state) => !whole.some((one) => JSON.stringify(one) === JSON.stringify(state)));
  if (mixed) throw new Error(`a reader has seen a mixed state: ${mixed.join(', ')}`);
  const [former] = await ask<readonly [readonly string[]]>(python, [['read_at', folder, 2, 'trip_id']]);
  if (JSON.stringify(former) !== JSON.stringify(whole[0])) {
    throw new Error(`the former snapshot has ${former.join(', ')}`);
  }
  return `${reads} reads during ${REBUILDS - 1} rebuilds saw ${states.length} states, each of them whole`;
}
