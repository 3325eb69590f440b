import type { AddressInfo } from 'node:net';
import process from 'node:process';
import Fastify from 'fastify';
import { startApi } from '../../api/start-api.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import type { Clock } from '../../pipeline/effects/clock.ts';
import { type ApiInput, type BareInput, type LoadInput, type TripLoadInput, warningsOnly } from './child-tasks.ts';
import { BENCH_NOW } from './national-questions.ts';

/** A server in this process. */
interface Served {
  readonly origin: string;
  readonly pid: number;
}

/** Serves the real service, with its clock on a day of the timetable and without fair use. */
export async function serveApi({ dataDir, planner }: ApiInput): Promise<Served> {
  const { config } = await loadConfig({ cwd: dataDir, home: dataDir, environment: {} });
  const started = Date.now();
  const clock: Clock = { nowMilliseconds: () => BENCH_NOW * 1000 + Date.now() - started };
  const fairUse = { ...config.fairUse, unitsPerMinute: 0 };
  const settings = {
    ...config,
    dataDir,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    fairUse,
    planner: { ...config.planner, ...planner },
  };
  const { url } = await startApi(settings, { clock, log: warningsOnly });
  return { origin: url, pid: process.pid };
}

/** Serves a minimal Fastify route that sends stored responses of another server. */
export async function serveBare({ origin, paths }: BareInput): Promise<Served> {
  const bodies = new Map<string, Buffer>();
  for (const path of new Set(paths)) {
    const answer = await fetch(`${origin}${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    bodies.set(path, Buffer.from(await answer.arrayBuffer()));
  }
  const app = Fastify({ routerOptions: { maxParamLength: 1000 } });
  app.get('/v2/stops/:id/departures', (request, reply) =>
    reply.type('application/json; charset=utf-8').send(bodies.get(request.url)),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { origin: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, pid: process.pid };
}

const CONNECTIONS = 32;

/** Sends requests as fast as responses arrive. The paths are divided among the connections, and each repeats its own. */
export async function generateLoad({ origin, paths, seconds }: LoadInput) {
  const { default: autocannon } = await import('autocannon');
  let clients = 0;
  const result = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (client) => {
      const number = clients++;
      client.setRequests(paths.filter((_, i) => i % CONNECTIONS === number).map((path) => ({ path })));
    },
  });
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${origin}: ${result.errors} errors, ${result.non2xx} unsuccessful responses`);
  }
  const { average, total } = result.requests;
  return { requestsPerSecond: average, requests: total, p99: result.latency.p99 };
}

export interface TripLoad {
  readonly answeredPerSecond: number;
  /** Number of 503 `overloaded` responses, and number of other unsuccessful responses. */
  readonly overloaded: number;
  readonly others: number;
  /** Of any response. */
  readonly longestSeconds: number;
}

/** Requests trips; each connection sends its requests sequentially, in its own order. */
export async function generateTripLoad(input: TripLoadInput): Promise<TripLoad> {
  const { origin, requests: bodies, connections, requestsPerSecond, seconds } = input;
  const { default: autocannon } = await import('autocannon');
  const tally = { answered: 0, overloaded: 0, others: 0 };
  const note = (status: number, body: string) => {
    if (status === 200) tally.answered += 1;
    else if (status === 503 && body.includes('"overloaded"')) tally.overloaded += 1;
    else tally.others += 1;
  };
  const requests = bodies.map((body) => ({
    method: 'POST' as const,
    path: '/v2/trips',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    onResponse: note,
  }));
  let clients = 0;
  const { errors, latency } = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    ...(requestsPerSecond === null ? {} : { overallRate: requestsPerSecond }),
    setupClient: (client) => {
      const first = (clients++ * 17) % requests.length;
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  });
  if (errors > 0) throw new Error(`${origin}: ${errors} requests without a response`);
  const { answered, overloaded, others } = tally;
  return { answeredPerSecond: answered / seconds, overloaded, others, longestSeconds: latency.max / 1000 };
}
