import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderTable } from '../../jobs/job/text-table.ts';
import { projectRoot } from '../../pipeline/effects/project-files.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import type { Bench } from './bench.ts';
import { type Metric, quantile } from './metric.ts';

const MINUTE_MILLISECONDS = 60_000;
const DEFAULT_MINUTES = 60;
/** Clients that send requests sequentially, so that the service is neither idle nor overloaded. */
const CLIENTS = 4;
const STOPS = 40;
/** A first start ingests the sample; a busy machine needs minutes. */
const START_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** After the first tenth of the time, memory that only grows is a leak. */
const WARM_UP_SHARE = 0.1;
const MAX_GROWTH = 1.25;

interface Minute {
  readonly requests: number;
  readonly errors: number;
  readonly p99: number;
  readonly rssMegabytes: number;
}

/**
 * Runs `up` with the sample, its poller and its jobs, sends requests without pause, and lists requests, errors, p99 and
 * memory per minute. SOAK_MINUTES sets the duration; default: an hour.
 */
export async function benchSoak({ makeFolder, progress }: Bench): Promise<Metric[]> {
  const count = Number(process.env.SOAK_MINUTES || DEFAULT_MINUTES);
  if (!(count >= 1))
    throw new RangeError(`SOAK_MINUTES is "${process.env.SOAK_MINUTES}", but must be a number from 1 on`);
  const { child, url } = await startUp(await makeFolder());
  try {
    const minutes = await soak(url, child, count, progress);
    return summarise(minutes);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function startUp(dataDir: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await findFreePort();
  const cli = path.join(projectRoot, 'dist', 'jobs', 'commands', 'cli.js');
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_METRICS_IS_ENABLED: 'false',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
    TAKTGEBER_LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [cli, 'up', '--data', dataDir, '--port', String(port), '--json'], {
    cwd: dataDir,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = once(child.stdout!, 'data');
  const ended = once(child, 'exit').then(() => {
    throw new Error('the service exited before it was ready');
  });
  const late = sleep(START_MILLISECONDS, undefined, { ref: false }).then(() => {
    throw new Error(`the service was not ready after ${START_MILLISECONDS / 1000} s`);
  });
  ended.catch(() => {});
  late.catch(() => {});
  try {
    await Promise.race([ready, ended, late]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { child, url: `http://127.0.0.1:${port}` };
}

async function soak(url: string, child: ChildProcess, count: number, progress: Bench['progress']): Promise<Minute[]> {
  const listRequests = await chooseRequests(url);
  const columns = ['MINUTE', 'REQUESTS', 'ERRORS', 'P99', 'RSS'].map((title) => ({ title, align: 'end' as const }));
  const minutes: Minute[] = [];
  for (let number = 1; number <= count; number++) {
    const end = performance.now() + MINUTE_MILLISECONDS;
    const responses = await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => sendRequests(listRequests, client, end)),
    );
    const all = responses.flat();
    const times = all.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const errors = all.filter(({ isGood }) => !isGood).length;
    const minute = {
      requests: all.length,
      errors,
      p99: quantile(times, 0.99),
      rssMegabytes: await readRssMegabytes(child.pid!),
    };
    minutes.push(minute);
    const { requests, p99, rssMegabytes } = minute;
    const row = [
      String(number),
      String(requests),
      String(errors),
      `${p99.toFixed(1)} ms`,
      `${rssMegabytes.toFixed(0)} MB`,
    ];
    const lines = renderTable(columns, [row]);
    for (const line of number === 1 ? lines : lines.slice(-1)) progress(line);
  }
  return minutes;
}

type SendRequest = () => Promise<Response>;

/** Requests of apps: boards, searches, trips, the status of the service. */
async function chooseRequests(url: string): Promise<readonly SendRequest[]> {
  const answer = await fetch(`${url}/v2/stops?query=a&limit=${STOPS}`);
  const { stops } = (await answer.json()) as { stops: { id: string }[] };
  const ids = stops.map(({ id }) => id);
  const board = (id: string, what: string) => () => fetch(`${url}/v2/stops/${encodeURIComponent(id)}/${what}`);
  const trip = (from: string, to: string) => () =>
    fetch(`${url}/v2/trips`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: { stopId: from }, to: { stopId: to } }),
    });
  return [
    ...ids.flatMap((id) => [board(id, 'departures'), board(id, 'arrivals')]),
    ...['Hbf', 'Wien', 'Graz', 'Bahn'].map((query) => () => fetch(`${url}/v2/stops?query=${query}&limit=10`)),
    ...ids.slice(1, 10).map((id) => trip(ids[0]!, id)),
    () => fetch(`${url}/v1/status`),
  ];
}

async function sendRequests(requests: readonly SendRequest[], client: number, end: number) {
  const responses: { readonly isGood: boolean; readonly milliseconds: number }[] = [];
  for (let turn = client; performance.now() < end; turn += CLIENTS) {
    const started = performance.now();
    const isGood = await sendOnce(requests[turn % requests.length]!);
    responses.push({ isGood, milliseconds: performance.now() - started });
  }
  return responses;
}

/** A refused connection counts as an error, like a response with status 500. */
async function sendOnce(request: SendRequest): Promise<boolean> {
  try {
    const answer = await request();
    await answer.arrayBuffer();
    return answer.ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function readRssMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1000;
}

function summarise(minutes: readonly Minute[]): Metric[] {
  const sum = (value: (minute: Minute) => number) => minutes.reduce((total, minute) => total + value(minute), 0);
  const [warm] = minutes.slice(Math.min(minutes.length - 1, Math.ceil(minutes.length * WARM_UP_SHARE)));
  const growth = minutes.at(-1)!.rssMegabytes / warm!.rssMegabytes;
  return [
    { name: `soak of ${minutes.length} minutes: requests`, value: sum(({ requests }) => requests), unit: '' },
    { name: 'soak: errors', value: sum(({ errors }) => errors), unit: '', target: { atMost: 0 } },
    { name: 'soak: slowest p99 of a minute', value: Math.max(...minutes.map(({ p99 }) => p99)), unit: 'ms' },
    { name: 'soak: most memory', value: Math.max(...minutes.map((one) => one.rssMegabytes)), unit: 'MB' },
    {
      name: 'soak: memory at the end by that after the warm-up',
      value: growth,
      unit: '',
      target: { atMost: MAX_GROWTH },
    },
  ];
}
