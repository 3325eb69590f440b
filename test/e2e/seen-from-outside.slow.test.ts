import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { findValue, parseMetrics } from '../support/checks/parse-metrics.ts';
import { findMetricsUrl, PATIENCE_MILLISECONDS, startDemo } from '../support/fakes/running-demo.ts';

const TOKEN = 'device-0123456789';
const AGENT_CONNECTIONS = 24;

interface Answer {
  readonly status: number;
  /** Whether all of its bytes have arrived. */
  readonly isWhole: boolean;
  readonly isLast: boolean;
}

/** Sends a request on a keep-alive connection. @throws the error of a connection that is refused or ends early */
function send(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { 'x-installation-token': TOKEN } }, (response) => {
      response.resume();
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          isWhole: response.complete,
          isLast: response.headers.connection === 'close',
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A client that never ends its request. */
function holdUp(url: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`POST /v2/trips HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`);
  onTestFinished(() => void socket.destroy());
}

/** Stops a service under load, and records what a scrape, an orchestrator and its clients see. */
interface Story {
  readonly metrics: string;
  readonly readyBefore: number;
  readonly readyWhileStopping: readonly number[];
  readonly answers: readonly Answer[];
  readonly failures: readonly string[];
  readonly exit: readonly [code: number | null, signal: string | null];
  readonly log: string;
}

async function play(): Promise<Story> {
  const { url, child, output } = await startDemo(undefined, {
    settings: { TAKTGEBER_LOG_LEVEL: 'info', TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0' },
  });
  const base = findMetricsUrl({ output });
  const { stops } = (await (await fetch(`${url}/v2/stops?query=Hbf&limit=1`)).json()) as { stops: { id: string }[] };
  const board = `${url}/v2/stops/${encodeURIComponent(stops[0]!.id)}/departures`;
  await fetch(`${url}/v2/stops/nearby?lat=48.208174&lon=16.373819`, { headers: { 'x-installation-token': TOKEN } });
  const agent = new Agent({ keepAlive: true, maxSockets: AGENT_CONNECTIONS });
  const [answers, failures]: [Answer[], string[]] = [[], []];
  let hasEnded = false;
  const load = Array.from({ length: AGENT_CONNECTIONS }, async (_, i) => {
    for (let count = 0; !hasEnded; count++) {
      // Different times, so that only some responses are cached.
      const time = new Date(Date.now() + ((i * 37 + count) % 500) * 60_000).toISOString();
      await send(`${board}?time=${time}&limit=200`, agent).then(
        (answer) => answers.push(answer),
        async (error: Error) => {
          failures.push(error.message);
          await wait(20);
        },
      );
    }
  });
  // Threads report within ten seconds; the poller publishes earlier.
  let metrics = '';
  const until = performance.now() + PATIENCE_MILLISECONDS;
  while (!/taktgeber_source_age_seconds\{/.test(metrics) && performance.now() < until) {
    await wait(500);
    metrics = await (await fetch(`${base}/metrics`)).text();
  }
  const ready = async () => (await fetch(`${base}/ready`)).status;
  const readyBefore = await ready();
  holdUp(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const readyWhileStopping: number[] = [];
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    await ready().then(
      (status) => readyWhileStopping.push(status),
      () => {},
    );
    await wait(10);
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  await Promise.all(load);
  agent.destroy();
  return { metrics, readyBefore, readyWhileStopping, answers, failures, exit: [code, signal], log: output() };
}

it(
  'a service that stops under load is observable from outside',
  async () => {
    const story = await play();
    checkEnd(story);
    checkScrape(story);
    checkLog(story);
  },
  3 * PATIENCE_MILLISECONDS,
);

/** Expects that SIGTERM makes it not ready at once, exits with 0, and cuts off no response. */
function checkEnd({ exit, readyBefore, readyWhileStopping, answers, failures }: Story): void {
  expect([exit, readyBefore]).toEqual([[0, null], 200]);
  // The signal may arrive with a delay.
  expect(readyWhileStopping.at(-1)).toBe(503);
  expect(answers.length).toBeGreaterThan(AGENT_CONNECTIONS);
  expect(answers.filter(({ status, isWhole }) => status !== 200 || !isWhole)).toEqual([]);
  // Keep-alive connections get `Connection: close`, new ones are refused.
  expect(answers.filter(({ isLast }) => isLast).length).toBeGreaterThan(0);
  for (const failure of new Set(failures)) expect(failure).toMatch(/ECONNREFUSED|ECONNRESET|socket hang up/);
}

/** Expects that a scrape of one process shows the API, the sources, the jobs and every thread. */
function checkScrape({ metrics }: Story): void {
  const scrape = parseMetrics(metrics);
  const route = '/v2/stops/:id/departures';
  expect(findValue(scrape, 'taktgeber_http_requests_total', { route, status: '200' })).toBeGreaterThan(0);
  expect(findValue(scrape, 'taktgeber_http_request_duration_seconds_count', { route })).toBeGreaterThan(0);
  expect(findValue(scrape, 'taktgeber_snapshot_age_seconds', { snapshot: 'timetable' })).toBeGreaterThanOrEqual(0);
  expect(findValue(scrape, 'taktgeber_queue_depth', { queue: 'planner' })).toBe(0);
  expect(findValue(scrape, 'taktgeber_disk_free_bytes')).toBeGreaterThan(0);
  expect(findValue(scrape, 'taktgeber_ready')).toBe(1);
  expect(findValue(scrape, 'taktgeber_scrape_failures_total')).toBe(0);
  expect(findValue(scrape, 'taktgeber_job_failing', { job_name: 'ingest-timetable' })).toBe(0);
  expect(findValue(scrape, 'taktgeber_event_loop_delay_seconds', { statistic: 'median' })).toBeGreaterThanOrEqual(0);
  const threads = scrape.series.filter(({ name }) => name === 'taktgeber_threads').map(({ labels }) => labels.thread);
  expect(threads).toEqual(expect.arrayContaining(['main', 'planner-thread', 'poll-here', 'serve-sample']));
  // Nobody watches anything.
  expect(threads).not.toContain('watch-thread');
  const fresh = scrape.series.filter(({ name }) => name === 'taktgeber_source_fresh');
  expect(fresh.length).toBeGreaterThan(1);
  expect(scrape.series.length).toBeLessThan(3000);
}

/** Expects that every log line is JSON without tokens or coordinates. */
function checkLog({ log }: Story): void {
  const lines = log.trimEnd().split('\n');
  for (const line of lines)
    expect(JSON.parse(line), line).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
  expect(lines.some((line) => line.includes('"path":"/v2/stops/nearby"'))).toBe(true);
  expect(log).not.toMatch(/48\.2081|16\.3738|device-0123/);
}
