import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { listDefinitions } from '../../pipeline/history/marts/definitions.ts';
import { listMartMonths, martNames } from '../../pipeline/history/marts/mart-manifest.ts';
import { type DailyMart, dailyMarts } from '../../pipeline/history/marts/mart-tables.ts';
import { planMonths } from '../../pipeline/history/marts/plan-months.ts';
import { readMartSql } from '../../pipeline/history/marts/read-mart-sql.ts';
import { writeMart, writeSteps } from '../../pipeline/history/marts/remote-day.ts';
import { martFile } from '../../pipeline/lake/paths.ts';
import { openRemoteMarts } from '../../pipeline/scale-out/lakehouse/remote-marts.ts';
import { openTrino, type Trino } from '../../pipeline/scale-out/trino/open-trino.ts';
import { limits } from '../support/worlds/marts.ts';
import { runJob, writePublishedLake } from './published-lake.ts';
import { startPostgres } from './services/postgres.ts';
import { makeServiceFolder } from './services/service.ts';
import { icebergJdbcCatalog, startTrino } from './services/trino.ts';
import { compareQuestions } from './trino-queries.ts';
import { compareTables } from './trino-tables.ts';

const FURTHER = '180/600, 330/600/forecast';
const definitions = listDefinitions(limits, FURTHER);
const TIME_LIMIT_SECONDS = 300;

/**
 * Compares tables, marts and queries of Trino and DuckDB over the same lake: numbers are equal to the last digit, files of
 * marts byte for byte. Then Trino is stopped: builds fail with retryable errors, and queries are answered from files.
 */
export async function compareEngines(): Promise<string> {
  const { folder: dataDir, remove } = await makeServiceFolder('engines');
  const postgres = await startPostgres();
  const database = await postgres.createDatabase();
  try {
    process.env.TAKTGEBER_HISTORY_FURTHER_DEFINITIONS = FURTHER;
    process.env.TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL = database;
    await writePublishedLake(dataDir);
    const here = await timed(() => runJob(dataDir, 'build-marts', '--force'));
    await runJob(dataDir, 'publish-iceberg');
    const before = await hashMarts(dataDir);
    const catalog = icebergJdbcCatalog(database, `file://${dataDir}/iceberg`);
    const service = await startTrino({ catalogs: { iceberg: catalog }, workers: 1 });
    process.env.TAKTGEBER_ENGINE = 'trino';
    process.env.TAKTGEBER_TRINO_URL = service.address;
    const trino = await openTrino({ url: service.address, catalog: 'iceberg', user: 'interop', password: null });
    const there = await timed(() => runJob(dataDir, 'build-marts', '--force'));
    const files = compareFiles(before, await hashMarts(dataDir));
    const marts = await compareMarts(dataDir, trino);
    const tables = await compareTables(dataDir, service.query);
    const questions = await compareQuestions(dataDir, trino, definitions);
    await service.stop();
    const failure = await runJob(dataDir, 'build-marts', '--force').then(
      () => 'it ended without an error',
      (error: Error) => error.message,
    );
    if (!/Trino at \S+ does not answer/.test(failure)) throw new Error(`build-marts without Trino: ${failure}`);
    compareFiles(before, await hashMarts(dataDir));
    const times = `marts in ${seconds(here)} by DuckDB and ${seconds(there)} by Trino (${(there / here).toFixed(1)} times)`;
    return `${tables}; ${files}; ${marts}; ${questions}; ${times}; a build without Trino fails and leaves all as it was`;
  } finally {
    for (const name of ['ENGINE', 'TRINO_URL', 'HISTORY_FURTHER_DEFINITIONS', 'ICEBERG_CATALOG_POSTGRES_URL']) {
      delete process.env[`TAKTGEBER_${name}`];
    }
    await postgres.stop();
    await remove();
  }
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return (performance.now() - start) / 1000;
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

// ---- Marts ---------------------------------------------------------------------------------------

async function hashMarts(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const month of await listMartMonths(dataDir)) {
    for (const mart of martNames) {
      const content = await readFile(martFile(dataDir, mart, month));
      hashes.set(`${mart} ${month}`, createHash('sha256').update(content).digest('hex'));
    }
  }
  return hashes;
}

function compareFiles(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const other = [...before].filter(([name, hash]) => after.get(name) !== hash).map(([name]) => name);
  if (other.length > 0 || before.size !== after.size) throw new Error(`files of marts differ: ${other.join(', ')}`);
  return `${before.size} files of marts are equal byte for byte`;
}

/** Compares every mart of every day, also those that a build aggregates itself. */
async function compareMarts(dataDir: string, trino: Trino): Promise<string> {
  const share = await openRemoteMarts(trino, { dataDir, location: null, timeLimitSeconds: TIME_LIMIT_SECONDS });
  const remote = share(undefined);
  const plans = await planMonths({ dataDir, rules: '', from: null, to: null, isForced: true });
  let compared = 0;
  let rows = 0;
  for (const { month, made } of plans) {
    for (const [date, inputs] of made) {
      const steps = await writeSteps(remote, { date, inputs, definitions });
      for (const mart of dailyMarts) {
        const found = await collectRows(trino, await writeMart(steps, mart));
        rows += await compareRows(dataDir, mart, month, `service_date = date '${date}'`, found);
        compared += 1;
      }
    }
    const worst = await readMartSql('worst_connections', 'trino');
    const changes = `select * from iceberg.marts.connections_daily where date_trunc('month', service_date) = date '${month}-01'`;
    const found = await collectRows(trino, `with connections_daily as (${changes}) select * from (${worst})`);
    rows += await compareRows(dataDir, 'worst_connections', month, 'true', found);
    compared += 1;
  }
  const days = plans.reduce((sum, { made }) => sum + made.size, 0);
  return `${compared} results of ${martNames.length} marts over ${days} days with ${rows} rows are equal`;
}

async function collectRows(trino: Trino, sql: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const page of trino.stream(sql, { timeLimitSeconds: TIME_LIMIT_SECONDS })) {
    const names = Object.keys(page).sort();
    const count = page[names[0]!]?.length ?? 0;
    for (let row = 0; row < count; row++) {
      rows.push(JSON.stringify(names.map((name) => [name, page[name]![row]])));
    }
  }
  return rows.sort();
}

async function compareRows(
  dataDir: string,
  mart: DailyMart | 'worst_connections',
  month: string,
  where: string,
  found: readonly string[],
): Promise<number> {
  const db = await openDuckdb({ threads: 1 });
  try {
    const file = martFile(dataDir, mart, month);
    const stored = await db.query(
      `select mart::json::varchar as line from read_parquet('${file}', hive_partitioning = false) as mart where ${where}`,
    );
    const wanted = stored.map(({ line }) => {
      const row = JSON.parse(String(line)) as Record<string, unknown>;
      return JSON.stringify(
        Object.keys(row)
          .sort()
          .map((name) => [name, row[name]]),
      );
    });
    wanted.sort();
    if (isDeepStrictEqual(wanted, found)) return wanted.length;
    const at = wanted.findIndex((line, i) => line !== found[i]);
    throw new Error(`${mart} of ${month}: DuckDB has ${wanted[at]}, and Trino ${found[at]}`);
  } finally {
    db.close();
  }
}
