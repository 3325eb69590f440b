import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { provideCityFeed } from './city-feed.ts';
import type { TripLoad } from './http-servers.ts';
import { findCityZip } from './ingest-bench.ts';
import type { Metric } from './metric.ts';
import { benchMinotor } from './minotor-bench.ts';
import { quickSize } from './national-feed.ts';
import { BENCH_DAY, BENCH_DAY_START } from './national-questions.ts';
import type { PlannerAttack } from './planner-attack.ts';
import type { PlannerLive } from './planner-live.ts';
import type { PlannerLoad } from './planner-load.ts';
import type { PeerTimes, PlannerPeers } from './planner-peers.ts';
import { CITY_DAY, CITY_DAY_START } from './planner-questions.ts';
import type { CitySpeed, NationalSpeed, Quantiles } from './planner-speed.ts';
import type { PlannerTail } from './planner-tail.ts';

/** The service uses two on two cores. */
const THREADS = [1, 2];

/**
 * Measures the trip planner on a real city and a whole country, both with realtime, and within the service. With peers,
 * only the generated city that they answer, too.
 */
export async function benchPlanner(bench: Bench): Promise<Metric[]> {
  if (bench.hasPeers) return benchPeers(bench);
  const city = [...(await benchCity(bench)), ...(await benchTail(bench))];
  const { dataDir } = await bench.national();
  bench.progress(`trips in the ${bench.size.name} feed`);
  const speed = await runInChild('planner_national', { dataDir });
  bench.progress(`trips in the ${bench.size.name} feed, without and with realtime in turns`);
  const { runningTrips } = bench.size;
  const live = await runInChild('planner_live', { dataDir, place: 'national', runningTrips });
  bench.progress('memory of the threads that plan');
  const bytes: number[] = [];
  for (const threads of [0, ...THREADS]) bytes.push(await runInChild('planner_memory', { dataDir, threads }));
  bench.progress('the service under a load of trips, a minute');
  const load = await runInChild('planner_load', { dataDir });
  return [
    ...city,
    ...toNationalMetrics(bench.size.name, speed),
    ...toLiveMetrics(bench.size.name, live),
    ...toMemoryMetrics(bytes),
    ...toLoadMetrics(load),
  ];
}

async function benchCity(bench: Bench): Promise<Metric[]> {
  const zip = findCityZip(bench, 'trips in a real city');
  if (zip === null) return [];
  const dataDir = await bench.makeFolder();
  bench.progress('trips in Bydgoszcz');
  await runInChild('ingest', { zip, dataDir });
  const speed = await runInChild('planner_city', { dataDir });
  const day = { date: CITY_DAY, dayStart: CITY_DAY_START };
  const minotor = await benchMinotor(bench, { place: 'Bydgoszcz', zip, ...day, ours: speed });
  bench.progress('trips in Bydgoszcz, alternately without and with realtime');
  const live = await runInChild('planner_live', { dataDir, place: 'city', runningTrips: 0 });
  return [...toCityMetrics(speed), ...minotor, ...toLiveMetrics('city', live)];
}

/** Of a thousand, the tenth slowest decides on p99. */
const TAIL_QUESTIONS = 1000;
const QUICK_TAIL_QUESTIONS = 100;

async function benchTail(bench: Bench): Promise<Metric[]> {
  const { dataDir, questions } = await ingestCity(bench);
  const { pages, rescue } = await runInChild('planner_tail', { dataDir, questions });
  return [
    ...pages.flatMap(toTailMetrics),
    ...toTailRatios(pages),
    ...toMetrics('rescue, generated city: up to 4 options', rescue, { p99: 150 }),
    ...(await benchCityLoad(bench, dataDir, questions)),
  ];
}

async function ingestCity(bench: Bench) {
  const zip = await provideCityFeed(bench.progress);
  const dataDir = await bench.makeFolder();
  bench.progress('trips in a generated city of 9,000 stops');
  await runInChild('ingest', { zip, dataDir });
  return { zip, dataDir, questions: bench.size === quickSize ? QUICK_TAIL_QUESTIONS : TAIL_QUESTIONS };
}

async function benchCityLoad(bench: Bench, dataDir: string, questions: number): Promise<Metric[]> {
  bench.progress('the service under a load of trips in the generated city');
  const load = await runInChild('planner_city_load', { dataDir, questions });
  bench.progress('boards beside the slowest queries that can be constructed');
  const attack = await runInChild('planner_attack', { dataDir });
  return [...toCityLoadMetrics(load), ...toAttackMetrics(attack)];
}

async function benchPeers(bench: Bench): Promise<Metric[]> {
  const { zip, dataDir, questions } = await ingestCity(bench);
  const day = { date: BENCH_DAY, dayStart: BENCH_DAY_START };
  const ours = await runInChild('planner_arrivals', { dataDir, questions });
  const minotor = await benchMinotor(bench, { place: 'generated city', zip, ...day, ours });
  bench.progress('trips in the generated city, in turns with OpenTripPlanner: three sets, up to four minutes each');
  return [...minotor, ...toPeerMetrics(await runInChild('planner_peers', { dataDir, zip, ...day, questions }))];
}

// ---- Metrics -----------------------------------------------------------------------------------

function toMetrics(name: string, { p50, p99 }: Quantiles, targets: Partial<Quantiles> = {}): Metric[] {
  const toMetric = (quantile: keyof Quantiles, value: number): Metric => {
    const atMost = targets[quantile];
    const target = atMost === undefined ? {} : { target: { atMost } };
    return { name: `${name}: ${quantile}`, value, unit: 'ms', ...target };
  };
  return [toMetric('p50', p50), toMetric('p99', p99)];
}

function toCityMetrics({ arrival, twoHours, itineraries, page }: CitySpeed): Metric[] {
  return [
    ...toMetrics('trips, city: earliest arrival', arrival, { p50: 1.5 }),
    ...toMetrics('trips, city: all of two hours, presented', twoHours, { p50: 15, p99: 60 }),
    { name: 'trips, city: how many in two hours, mean', value: itineraries, unit: '' },
    ...toMetrics('trips, city: a page of 4 as JSON', page),
  ];
}

function toTailMetrics({ kind, work, tailWork, p50, p95, p99 }: PlannerTail): Metric[] {
  const name = `trips, generated city ${kind}: a page of 6`;
  return [
    ...Object.entries({ p50, p95, p99 }).map(([quantile, value]): Metric => {
      return { name: `${name}, processor: ${quantile}`, value, unit: 'ms' };
    }),
    ...WORK.map((count): Metric => ({ name: `${name}: ${count} searched`, value: work[count], unit: '' })),
    ...WORK.map((count): Metric => ({ name: `${name}: ${count} searched, p99`, value: tailWork[count], unit: '' })),
  ];
}

const WORK = ['runs', 'routes', 'labels'] as const;

/** Compares pages with realtime, and pages at night, with those of the day without realtime. */
function toTailRatios(tails: readonly PlannerTail[]): Metric[] {
  const find = (wanted: PlannerTail['kind']) => tails.find(({ kind }) => kind === wanted)!;
  const [day, live, night] = [find('at 08:00'), find('at 08:00 with realtime'), find('at 23:30')];
  return [
    ...WORK.map((count): Metric => {
      const name = `trips, generated city: ${count} searched with realtime to without`;
      return { name, value: live.work[count] / day.work[count], unit: '', target: { atMost: 1.1 } };
    }),
    ...(['p50', 'p99'] as const).map((quantile): Metric => {
      const name = `trips, generated city: processor time at 23:30 to 08:00, ${quantile}`;
      return { name, value: night[quantile] / day[quantile], unit: '', target: { atMost: 1 } };
    }),
  ];
}

function toCityLoadMetrics({ answeredPerSecond, overloaded, others }: TripLoad): Metric[] {
  const name = 'trips over HTTP, generated city, 4 clients, all hours, default threads';
  return [
    { name: `${name}: answered`, value: answeredPerSecond, unit: '1/s', target: { atLeast: 150 } },
    { name: `${name}: other answers`, value: overloaded + others, unit: '', target: { atMost: 0 } },
  ];
}

function toAttackMetrics(attack: PlannerAttack): Metric[] {
  const name = '8 clients with the 20 slowest queries';
  return [
    { name: `${name}: processor time of the slowest`, value: attack.slowestSeconds, unit: 's' },
    { name: `${name}: longest answer`, value: attack.longestSeconds, unit: 's', target: { atMost: 8.5 } },
    { name: `${name}: answered`, value: attack.answeredPerSecond, unit: '1/s' },
    { name: `${name}: refused as overloaded`, value: attack.refusedPerSecond, unit: '1/s' },
    { name: `${name}: other answers`, value: attack.others, unit: '', target: { atMost: 0 } },
    { name: `${name}: boards of another client, quiet, p99`, value: attack.quiet, unit: 'ms' },
    { name: `${name}: boards of another client, beside them, p99`, value: attack.beside, unit: 'ms' },
    {
      name: `${name}: that p99 to the quiet one`,
      value: attack.beside / attack.quiet,
      unit: '',
      target: { atMost: 3 },
    },
  ];
}

function toPeerMetrics({ version, startSeconds, times }: PlannerPeers): Metric[] {
  return [
    ...times.flatMap((set) => toPeerSetMetrics(version, set)),
    { name: `OTP ${version}: graph built and started`, value: startSeconds, unit: 's' },
  ];
}

function toPeerSetMetrics(version: string, { name: set, otp, ours, ...counts }: PeerTimes): Metric[] {
  const name = `trips, generated city at 08:00, ${set}`;
  const ratios = { p50: 15, p95: 12, p99: 10 };
  return [
    ...(['p50', 'p95', 'p99'] as const).flatMap((quantile): Metric[] => [
      { name: `${name}: OTP ${version}, ${quantile}`, value: otp[quantile], unit: 'ms' },
      { name: `${name}: ours, ${quantile}`, value: ours[quantile], unit: 'ms' },
      {
        name: `${name}: ${quantile} of OTP to ours`,
        value: otp[quantile] / ours[quantile],
        unit: '',
        target: { atLeast: ratios[quantile] },
      },
    ]),
    { name: `${name}: questions to OTP`, value: counts.otpQuestions, unit: '' },
    { name: `${name}: those without an itinerary by OTP`, value: counts.unanswered, unit: '' },
    { name: `${name}: questions to ours`, value: counts.questions, unit: '', target: { atLeast: TAIL_QUESTIONS } },
  ];
}

function toNationalMetrics(size: string, { arrival, page, anywhere }: NationalSpeed): Metric[] {
  const mix = '50 % 3-30 km, 30 % 30-120 km, 20 % anywhere';
  return [
    ...toMetrics(`trips, ${size}: a page of 4, ${mix}`, page, { p50: 150, p99: 600 }),
    ...toMetrics(`trips, ${size}: a page of 4, those to anywhere`, anywhere),
    ...toMetrics(`trips, ${size}: earliest arrival`, arrival),
  ];
}

/** @param place `city`, or the size of the national feed */
function toLiveMetrics(
  place: string,
  { runningTrips, plain, live, routesMilliseconds, rescue }: PlannerLive,
): Metric[] {
  const rescueTargets = place === 'city' ? { p50: 60, p99: 150 } : { p99: 300 };
  const name = `trips now, ${place}`;
  return [
    ...toMetrics(`${name}: a page of 4 without realtime`, plain),
    ...toMetrics(`${name}: a page of 4, realtime of ${runningTrips.toLocaleString('en')} trips`, live),
    { name: `${name}: p50 with realtime to without`, value: live.p50 / plain.p50, unit: '', target: { atMost: 1.25 } },
    { name: `${name}: a new realtime snapshot made ready`, value: routesMilliseconds, unit: 'ms' },
    ...toMetrics(`rescue, ${place}: up to 4 options`, rescue, rescueTargets),
    { name: `rescue, ${place}: options, mean of ${rescue.rescues} trips`, value: rescue.options, unit: '' },
  ];
}

function toMemoryMetrics([alone = Number.NaN, ...together]: readonly number[]): Metric[] {
  const withThreads = together.flatMap((bytes, i): Metric[] => [
    { name: `trips: memory with ${THREADS[i]} planning`, value: bytes / 1e9, unit: 'GB' },
    {
      name: `trips: memory with ${THREADS[i]} planning to without`,
      value: bytes / alone,
      unit: '',
      target: { atMost: 1.3 },
    },
  ]);
  return [{ name: 'trips: memory of a process with one timetable', value: alone / 1e9, unit: 'GB' }, ...withThreads];
}

function toLoadMetrics({ steady, beyond }: PlannerLoad): Metric[] {
  return [
    { name: 'trips over HTTP, 1 thread: answered', value: steady.answeredPerSecond, unit: '1/s' },
    { name: 'trips over HTTP: event loop stands still, idle', value: steady.idleDelay, unit: 'ms' },
    {
      name: 'trips over HTTP: event loop stands still, worst',
      value: steady.longestDelay,
      unit: 'ms',
      target: { atMost: 20 },
    },
    { name: 'trips over HTTP, beyond the queue: answered', value: beyond.answeredPerSecond, unit: '1/s' },
    {
      name: 'trips over HTTP, beyond the queue: refused as overloaded',
      value: beyond.overloaded,
      unit: '',
      target: { atLeast: 1 },
    },
    { name: 'trips over HTTP, beyond the queue: other answers', value: beyond.others, unit: '', target: { atMost: 0 } },
    { name: 'trips over HTTP, beyond the queue: event loop stands still', value: beyond.longestDelay, unit: 'ms' },
  ];
}
