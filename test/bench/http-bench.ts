import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import { type Metric, median } from './metric.ts';
import { BENCH_NOW, boardPath, readRequestedStops } from './national-questions.ts';

const QUESTIONS = 2000;
/** More distinct requests than a round sends, so that none is cached. */
const FRESH_QUESTIONS = 120_000;
const WARM_UP_SECONDS = 3;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Measures boards per second over loopback, with load from another process. The bare route and the service are measured
 * alternately, so that load on the machine affects both.
 */
export async function benchHttp(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  const stopIds = await readRequestedStops(dataDir, QUESTIONS);
  const mixed = stopIds.map((id) => boardPath(id));
  const different = [...new Set(stopIds)];
  const fresh = Array.from({ length: FRESH_QUESTIONS }, (_, i) => {
    const time = formatTimestamp((BENCH_NOW + Math.floor(i / different.length)) as Instant, 'Europe/Vienna');
    return `${boardPath(different[i % different.length]!)}?time=${encodeURIComponent(time)}`;
  });
  bench.progress('starting the service and the bare route');
  const api = await startInChild('api', { dataDir });
  const bare = await startInChild('bare', { origin: api.result.origin, paths: mixed });
  try {
    const pathSets = { mixed, fresh };
    const measures = await measureInTurns(bench, api.result.origin, bare.result.origin, pathSets);
    return toMetrics(measures);
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
  }
}

interface Load {
  readonly requestsPerSecond: number;
  readonly p99: number;
}

interface HttpMeasures {
  readonly bare: Load[];
  readonly mixed: Load[];
  readonly fresh: Load[];
}

async function measureInTurns(
  bench: Bench,
  api: string,
  bare: string,
  { mixed, fresh }: { mixed: readonly string[]; fresh: readonly string[] },
): Promise<HttpMeasures> {
  const load = (origin: string, paths: readonly string[], seconds: number) =>
    runInChild('load_generator', { origin, paths, seconds });
  bench.progress(`warming both up, ${WARM_UP_SECONDS} s each`);
  await load(api, mixed, WARM_UP_SECONDS);
  await load(bare, mixed, WARM_UP_SECONDS);
  const measures: HttpMeasures = { bare: [], mixed: [], fresh: [] };
  const share = Math.floor(fresh.length / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    bench.progress(`boards over HTTP, round ${round + 1} of ${ROUNDS}, three times ${SECONDS} s`);
    measures.bare.push(await load(bare, mixed, SECONDS));
    measures.mixed.push(await load(api, mixed, SECONDS));
    measures.fresh.push(await load(api, fresh.slice(round * share, (round + 1) * share), SECONDS));
  }
  return measures;
}

function toMetrics({ bare, mixed, fresh }: HttpMeasures): Metric[] {
  const rate = (loads: readonly Load[]) => median(loads.map((load) => load.requestsPerSecond));
  const p99 = (loads: readonly Load[]) => median(loads.map((load) => load.p99));
  return [
    { name: 'HTTP: bare Fastify route, same bytes', value: rate(bare), unit: 'requests/s' },
    { name: 'HTTP: boards, 500 stops by popularity', value: rate(mixed), unit: 'requests/s' },
    { name: 'HTTP: share of the bare route', value: rate(mixed) / rate(bare), unit: '', target: { atLeast: 0.5 } },
    { name: 'HTTP: boards, p99', value: p99(mixed), unit: 'ms' },
    { name: 'HTTP: boards, always fresh', value: rate(fresh), unit: 'requests/s' },
    { name: 'HTTP: always fresh, share of the bare route', value: rate(fresh) / rate(bare), unit: '' },
    { name: 'HTTP: always fresh, p99', value: p99(fresh), unit: 'ms' },
  ];
}
