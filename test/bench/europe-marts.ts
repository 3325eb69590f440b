import { rm } from 'node:fs/promises';
import process from 'node:process';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { sizeOfFolder } from '../../pipeline/effects/files.ts';
import { buildMarts } from '../../pipeline/history/marts/build-marts.ts';
import { listDefinitions } from '../../pipeline/history/marts/definitions.ts';
import type { RemoteMarts } from '../../pipeline/history/marts/remote-day.ts';
import { countDays } from '../../pipeline/history/stop-events/count-days.ts';
import { martsFolder } from '../../pipeline/lake/paths.ts';
import { openTrino } from '../../pipeline/scale-out/trino/open-trino.ts';
import { warningsOnly } from './child-tasks.ts';
import { EUROPE_DAY } from './europe-lake.ts';
import { publishBenchHistory } from './history-marts.ts';

/** Memory limit of a worker for many countries; the default of 1.5 GB is for one. */
const settings = { memoryLimit: '8GB', threads: 2 };
const limits = { onTimeMaxDelaySeconds: 330, lateMinDelaySeconds: 600, earlyMinSeconds: -60 };
const definitions = listDefinitions(limits, null);
const STATEMENT_LIMITS = { timeLimitSeconds: 1800 };

export interface Spent {
  readonly seconds: number;
  /** User and system time of all threads of the process. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export interface EuropeMartsInput {
  readonly dataDir: string;
  /** null: DuckDB in this process. */
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

/** Measures the selection of counted calls for a day of all countries. */
export function measureEuropeCount({ dataDir }: { dataDir: string }): Promise<Spent> {
  return spend(() => countDays({ dataDir, settings, from: EUROPE_DAY, to: EUROPE_DAY, log: warningsOnly }));
}

/** Measures the marts of the first day of a month for all countries, with the code of the job. */
export async function measureEuropeMarts({ dataDir, trinoUrl }: EuropeMartsInput): Promise<Spent & { bytes: number }> {
  await rm(martsFolder(dataDir), { recursive: true, force: true });
  const remote = trinoUrl === null ? null : await openRemote(trinoUrl);
  const spent = await spend(() => buildDay(dataDir, remote));
  return { ...spent, bytes: await sizeOfFolder(martsFolder(dataDir)) };
}

/** Measures the same day in a month whose other days exist: their rows are copied into the new files. */
export async function measureEuropeLastDay({ dataDir }: { dataDir: string }): Promise<Spent> {
  const spent = await spend(() => buildDay(dataDir, null));
  await publishBenchHistory(dataDir);
  return spent;
}

function buildDay(dataDir: string, remote: RemoteMarts | null): Promise<unknown> {
  const range = { from: EUROPE_DAY, to: EUROPE_DAY, isForced: true, isDryRun: false };
  const effects = { clock: systemClock, log: warningsOnly };
  return buildMarts({ dataDir, settings, definitions, ...range, remote }, effects);
}

async function openRemote(url: string): Promise<RemoteMarts> {
  const trino = await openTrino({ url, catalog: 'files', user: 'bench', password: null });
  return {
    findStopEvents: async () => 'files.lake.stop_events',
    stream: (sql) => trino.stream(sql, STATEMENT_LIMITS),
  };
}
