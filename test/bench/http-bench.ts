import { formatTimestamp, type Instant } from '../../pipeline/model/service-time.ts';
import type { Bench } from './bench.ts';
import { runInChild, startInChild } from './child.ts';
import { type Figure, median } from './figure.ts';
import { BENCH_NOW, boardPath, readAskedStops } from './national-questions.ts';

const QUESTIONS = 2000;
/** More different requests than are sent within a round, so that none is answered from memory. */
const FRESH_QUESTIONS = 120_000;
const WARM_UP_SECONDS = 3;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Requests per second of boards over loopback, the load coming from another process. The bare route is measured in
 * turns with the service, so that both see the same machine.
 */
export async function benchHttp(bench: Bench): Promise<Figure[]> {
  const { dataDir } = await bench.national();
  const stopIds = await readAskedStops(dataDir, QUESTIONS);
  const mixed = stopIds.map((id) => boardPath(id));
  const different = [...new Set(stopIds)];
  const fresh = Array.from({ length: FRESH_QUESTIONS }, (_, i) => {
    const time = formatTimestamp((BENCH_NOW + Math.floor(i / different.length)) as Instant, 'Europe/Vienna');
    return `${boardPath(different[i % different.length]!)}?time=${encodeURIComponent(time)}`;
  });
  bench.tell('starting the service and the bare route');
  const api = await startInChild('api', { dataDir });
  const bare = await startInChild('bare', { origin: api.result.origin, paths: mixed });
  try {
    const asked = { mixed, fresh };
    const measures = await measureInTurns(bench, api.result.origin, bare.result.origin, asked);
    return toFigures(measures);
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
  bench.tell(`warming both up, ${WARM_UP_SECONDS} s each`);
  await load(api, mixed, WARM_UP_SECONDS);
  await load(bare, mixed, WARM_UP_SECONDS);
  const measures: HttpMeasures = { bare: [], mixed: [], fresh: [] };
  const share = Math.floor(fresh.length / ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    bench.tell(`boards over HTTP, round ${round + 1} of ${ROUNDS}, three times ${SECONDS} s`);
    measures.bare.push(await load(bare, mixed, SECONDS));
    measures.mixed.push(await load(api, mixed, SECONDS));
    measures.fresh.push(await load(api, fresh.slice(round * share, (round + 1) * share), SECONDS));
  }
  return measures;
}

function toFigures({ bare, mixed, fresh }: HttpMeasures): Figure[] {
  const rate = (loads: readonly Load[]) => median(loads.map((load) => load.requestsPerSecond));
  const p99 = (loads: readonly Load[]) => median(loads.map((load) => load.p99));
  return [
    { name: 'HTTP: bare Fastify route, same bytes', value: rate(bare), unit: 'requests/s' },
    { name: 'HTTP: boards, 500 stops as apps ask', value: rate(mixed), unit: 'requests/s' },
    { name: 'HTTP: share of the bare route', value: rate(mixed) / rate(bare), unit: '', target: { atLeast: 0.5 } },
    { name: 'HTTP: boards, p99', value: p99(mixed), unit: 'ms' },
    { name: 'HTTP: boards, always fresh', value: rate(fresh), unit: 'requests/s' },
    { name: 'HTTP: always fresh, share of the bare route', value: rate(fresh) / rate(bare), unit: '' },
    { name: 'HTTP: always fresh, p99', value: p99(fresh), unit: 'ms' },
  ];
}
