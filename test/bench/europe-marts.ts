import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { buildMarts } from '../../pipeline/history/marts/build-marts.ts';
import { listDefinitions } from '../../pipeline/history/marts/definitions.ts';
import type { RemoteMarts } from '../../pipeline/history/marts/remote-day.ts';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import { martFile, martsFolder } from '../../pipeline/lake/paths.ts';
import { addDays } from '../../pipeline/model/service-time.ts';
import { openTrino } from '../../pipeline/trino/open-trino.ts';
import { warningsOnly } from './child-tasks.ts';
import { EUROPE_DAY } from './europe-lake.ts';

/** As a worker of a federation has it: the embedded default of 1.5 GB is for one country. */
const MEMORY_LIMIT = '8GB';
const limits = { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };
const definitions = listDefinitions(limits, null);
const STATEMENT_LIMITS = { timeLimitSeconds: 1800 };
/** A month of one day's marts under other dates, for questions. */
const ASKED_DAYS = 28;
const ASKS = 15;

export interface Spent {
  readonly seconds: number;
  /** Of all threads of the process, user and system. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface EuropeMartsInput {
  readonly dataDir: string;
  /** Null: DuckDB in this process. */
  readonly trinoUrl: string | null;
}

async function spend(work: () => Promise<unknown>): Promise<Spent> {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
}

/** Which calls count, of a day of all countries. */
export function measureEuropeCount({ dataDir }: { dataDir: string }): Promise<Spent> {
  const settings = { memoryLimit: MEMORY_LIMIT, threads: 2 };
  return spend(() => countDays({ dataDir, settings, from: EUROPE_DAY, to: EUROPE_DAY, log: warningsOnly }));
}

/** The marts of a day of all countries, by the job's own code. */
export async function measureEuropeMarts({ dataDir, trinoUrl }: EuropeMartsInput): Promise<Spent & { bytes: number }> {
  await rm(martsFolder(dataDir), { recursive: true, force: true });
  const remote = trinoUrl === null ? null : await openRemote(trinoUrl);
  const settings = { memoryLimit: MEMORY_LIMIT, threads: 2 };
  const request = { dataDir, settings, definitions, from: EUROPE_DAY, to: EUROPE_DAY, isForced: true, isDryRun: false };
  const spent = await spend(() => buildMarts({ ...request, remote }, { clock: systemClock, log: warningsOnly }));
  return { ...spent, bytes: await sizeOfFolder(martsFolder(dataDir)) };
}

async function openRemote(url: string): Promise<RemoteMarts> {
  const trino = await openTrino({ url, catalog: 'files', user: 'bench', password: null });
  return {
    findStopEvents: async () => 'files.lake.stop_events',
    stream: (sql) => trino.stream(sql, STATEMENT_LIMITS),
  };
}

// ---- Questions -----------------------------------------------------------------------------------

/** Four weeks of `line_daily`, each the rows of the measured day. */
export async function writeAskedMonth({ dataDir }: { dataDir: string }): Promise<number> {
  const db = await openDuckdb({ memoryLimit: '3GB', threads: 2 });
  try {
    const day = sqlText(martFile(dataDir, 'line_daily', EUROPE_DAY.slice(0, 7)));
    const first = addDays(EUROPE_DAY, -ASKED_DAYS);
    const file = askedFile(dataDir);
    await mkdir(path.dirname(file), { recursive: true });
    const [copied] = await db.query(
      `copy (select * replace (date ${sqlText(first)} + cast(days.day as integer) as service_date)
         from read_parquet(${day}, hive_partitioning = false), range(${ASKED_DAYS}) as days(day)
         order by service_date, source, line)
       to ${sqlText(file)} (format parquet, compression zstd, row_group_size 100000)`,
    );
    return Number(copied?.Count);
  } finally {
    db.close();
  }
}

export function askedFile(dataDir: string): string {
  return path.join(dataDir, 'asked', 'line_daily', 'part-0.parquet');
}

/** Punctuality by operator in a period of four weeks, of a few sources. @returns milliseconds, sorted */
export async function measureEuropeAsks({ dataDir, trinoUrl }: EuropeMartsInput): Promise<number[]> {
  const ask = (relation: string, i: number) => `
    select operator, cast(sum(observed) as double) as observed, cast(sum(on_time) as double) as on_time
    from ${relation} where source in ('c0r0', 'c0r1', 'c0r2', 'c0r3', 'c0r4')
      and service_date >= date '${addDays(EUROPE_DAY, i - ASKED_DAYS)}'
    group by operator order by operator`;
  if (trinoUrl !== null) {
    const trino = await openTrino({ url: trinoUrl, catalog: 'asked', user: 'bench', password: null });
    return timeEach(async (i) => {
      for await (const _page of trino.stream(ask('asked.marts.line_daily', i), STATEMENT_LIMITS));
    });
  }
  const db = await openDuckdb({ memoryLimit: '1GB', threads: 2 });
  try {
    const file = sqlText(askedFile(dataDir));
    const relation = `read_parquet(${file}, hive_partitioning = false)`;
    return await timeEach(async (i) => void (await db.query(ask(relation, i))));
  } finally {
    db.close();
  }
}

async function timeEach(ask: (i: number) => Promise<void>): Promise<number[]> {
  const milliseconds: number[] = [];
  // The first ones warm up.
  for (let i = -3; i < ASKS; i++) {
    const started = performance.now();
    await ask(Math.max(0, i));
    if (i >= 0) milliseconds.push(performance.now() - started);
  }
  return milliseconds.sort((a, b) => a - b);
}
