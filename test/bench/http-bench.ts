import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import { type Metric, median } from './metric.ts';
import { BENCH_NOW, boardPath, readRequestedStops } from './national-questions.ts';
import { readUsage } from './processor-time.ts';

const QUESTIONS = 2000;
/** More distinct requests than a round sends, so that none is cached. */
const FRESH_QUESTIONS = 240_000;
/** Distinct requests with a time, all of them cached after the first round. */
const TIMED_QUESTIONS = 2000;
const WARM_UP_SECONDS = 3;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Measures boards over loopback, with load from another process. The bare route and the service are measured
 * alternately. Their shares compare processor time per request of the two servers, which other programs change less than
 * rates; a server has one thread for requests, so both have the same limit.
 */
export async function benchHttp(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  const stopIds = await readRequestedStops(dataDir, QUESTIONS);
  const mixed = stopIds.map((id) => boardPath(id));
  const fresh = listTimedPaths([...new Set(stopIds)], FRESH_QUESTIONS);
  bench.progress('starting the service and the bare route');
  const api = await startInChild('api', { dataDir });
  const bare = await startInChild('bare', { origin: api.result.origin, paths: mixed });
  try {
    const pathSets = { mixed, timed: fresh.slice(-TIMED_QUESTIONS), fresh: fresh.slice(0, -TIMED_QUESTIONS) };
    return toMetrics(await measureInTurns(bench, api.result, bare.result, pathSets));
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
  }
}

/** Boards of every stop at one second, then at the next one, and so on. */
function listTimedPaths(stopIds: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const time = formatTimestamp((BENCH_NOW + Math.floor(i / stopIds.length)) as Instant, 'Europe/Vienna');
    return `${boardPath(stopIds[i % stopIds.length]!)}?time=${encodeURIComponent(time)}`;
  });
}

interface Load {
  readonly requestsPerSecond: number;
  readonly p99: number;
  /** Processor time of the server per request. */
  readonly microseconds: number;
}

interface Server {
  readonly origin: string;
  readonly pid: number;
}

const kinds = ['bare', 'mixed', 'timed', 'fresh'] as const;
type Kind = (typeof kinds)[number];

async function measureInTurns(
  bench: Bench,
  api: Server,
  bare: Server,
  { mixed, timed, fresh }: Readonly<Record<Exclude<Kind, 'bare'>, readonly string[]>>,
): Promise<Record<Kind, Load[]>> {
  bench.progress(`warming both up, three times ${WARM_UP_SECONDS} s`);
  await load(api, mixed, WARM_UP_SECONDS);
  await load(api, timed, WARM_UP_SECONDS);
  await load(bare, mixed, WARM_UP_SECONDS);
  const measures: Record<Kind, Load[]> = { bare: [], mixed: [], timed: [], fresh: [] };
  const share = Math.floor(fresh.length / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    bench.progress(`boards over HTTP, round ${round + 1} of ${ROUNDS}, four times ${SECONDS} s`);
    measures.bare.push(await load(bare, mixed, SECONDS));
    measures.mixed.push(await load(api, mixed, SECONDS));
    // The fresh boards of the round before took the place of these.
    await load(api, timed, WARM_UP_SECONDS);
    measures.timed.push(await load(api, timed, SECONDS));
    measures.fresh.push(await load(api, fresh.slice(round * share, (round + 1) * share), SECONDS));
  }
  return measures;
}

async function load({ origin, pid }: Server, paths: readonly string[], seconds: number): Promise<Load> {
  const before = await readUsage([pid]);
  const { requestsPerSecond, requests, p99 } = await runInChild('load_generator', { origin, paths, seconds });
  const after = await readUsage([pid]);
  return { requestsPerSecond, p99, microseconds: (1e6 * (after.cpuSeconds - before.cpuSeconds)) / requests };
}

function toMetrics(measures: Readonly<Record<Kind, Load[]>>): Metric[] {
  const medianOf = (kind: Kind, value: keyof Load) => median(measures[kind].map((one) => one[value]));
  const list = (kind: Kind, name: string, goal?: number): Metric[] => [
    { name: `HTTP: ${name}`, value: medianOf(kind, 'requestsPerSecond'), unit: 'requests/s' },
    { name: `HTTP: ${name}, processor time`, value: medianOf(kind, 'microseconds'), unit: 'µs' },
    ...(goal === undefined ? [] : [toShare(kind, name, goal), toP99(kind, name)]),
  ];
  const toShare = (kind: Kind, name: string, atLeast: number): Metric => ({
    name: `HTTP: ${name}, share of the bare route`,
    value: medianOf('bare', 'microseconds') / medianOf(kind, 'microseconds'),
    unit: '',
    target: { atLeast },
  });
  const toP99 = (kind: Kind, name: string): Metric => ({
    name: `HTTP: ${name}, p99`,
    value: medianOf(kind, 'p99'),
    unit: 'ms',
  });
  return [
    ...list('bare', 'bare Fastify route, same bytes'),
    ...list('mixed', 'boards, 500 stops by popularity', 0.9),
    ...list('timed', 'boards with a time, cached', 0.9),
    ...list('fresh', 'boards, always fresh', 0.35),
  ];
}
