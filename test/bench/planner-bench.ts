import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { Figure } from './figure.ts';
import { findCityZip } from './ingest-bench.ts';
import { benchMinotor } from './minotor-bench.ts';
import type { PlannerLive } from './planner-live.ts';
import type { PlannerLoad } from './planner-load.ts';
import type { CitySpeed, NationalSpeed, Quantiles } from './planner-speed.ts';

/** One is what the service takes on two cores. */
const THREADS = [1, 2];

/** The trip planner: a real city, a whole country, both with realtime, and how it sits in the service. */
export async function benchPlanner(bench: Bench): Promise<Figure[]> {
  const city = await benchCity(bench);
  const { dataDir } = await bench.national();
  bench.tell(`trips in the ${bench.size.name} feed`);
  const speed = await runInChild('planner_national', { dataDir });
  bench.tell(`trips in the ${bench.size.name} feed, without and with realtime in turns`);
  const { runningTrips } = bench.size;
  const live = await runInChild('planner_live', { dataDir, place: 'national', runningTrips });
  bench.tell('memory of the threads that plan');
  const bytes: number[] = [];
  for (const threads of [0, ...THREADS]) bytes.push(await runInChild('planner_memory', { dataDir, threads }));
  bench.tell('the service under a load of trips, a minute');
  const load = await runInChild('planner_load', { dataDir });
  return [
    ...city,
    ...toNationalFigures(bench.size.name, speed),
    ...toLiveFigures(bench.size.name, live),
    ...toMemoryFigures(bytes),
    ...toLoadFigures(load),
  ];
}

async function benchCity(bench: Bench): Promise<Figure[]> {
  const zip = findCityZip(bench, 'trips in a real city');
  if (zip === null) return [];
  const dataDir = await bench.makeFolder();
  bench.tell('trips in Bydgoszcz');
  await runInChild('ingest', { zip, dataDir });
  const speed = await runInChild('planner_city', { dataDir });
  const minotor = await benchMinotor(bench, zip, speed);
  bench.tell('trips in Bydgoszcz, without and with realtime in turns');
  const live = await runInChild('planner_live', { dataDir, place: 'city', runningTrips: 0 });
  return [...toCityFigures(speed), ...minotor, ...toLiveFigures('city', live)];
}

// ---- Figures -----------------------------------------------------------------------------------

function toFigures(name: string, { p50, p99 }: Quantiles, targets: Partial<Quantiles> = {}): Figure[] {
  const toFigure = (quantile: keyof Quantiles, value: number): Figure => {
    const atMost = targets[quantile];
    const target = atMost === undefined ? {} : { target: { atMost } };
    return { name: `${name}: ${quantile}`, value, unit: 'ms', ...target };
  };
  return [toFigure('p50', p50), toFigure('p99', p99)];
}

function toCityFigures({ arrival, twoHours, itineraries, page }: CitySpeed): Figure[] {
  return [
    ...toFigures('trips, city: earliest arrival', arrival, { p50: 1.5 }),
    ...toFigures('trips, city: all of two hours, presented', twoHours, { p50: 15, p99: 60 }),
    { name: 'trips, city: how many in two hours, mean', value: itineraries, unit: '' },
    ...toFigures('trips, city: a page of 4 as JSON', page),
  ];
}

function toNationalFigures(size: string, { arrival, page, anywhere }: NationalSpeed): Figure[] {
  const mix = '50 % 3-30 km, 30 % 30-120 km, 20 % anywhere';
  return [
    ...toFigures(`trips, ${size}: a page of 4, ${mix}`, page, { p50: 150, p99: 600 }),
    ...toFigures(`trips, ${size}: a page of 4, those to anywhere`, anywhere),
    ...toFigures(`trips, ${size}: earliest arrival`, arrival),
  ];
}

/** @param place `city`, or the size of the national feed */
function toLiveFigures(place: string, { runningTrips, plain, live, lanes, rescue }: PlannerLive): Figure[] {
  const rescueTargets = place === 'city' ? { p50: 60, p99: 250 } : { p99: 400 };
  const name = `trips now, ${place}`;
  return [
    ...toFigures(`${name}: a page of 4 without realtime`, plain),
    ...toFigures(`${name}: a page of 4, realtime of ${runningTrips.toLocaleString('en')} trips`, live),
    { name: `${name}: p50 with realtime to without`, value: live.p50 / plain.p50, unit: '', target: { atMost: 1.25 } },
    { name: `${name}: a new realtime snapshot made ready`, value: lanes, unit: 'ms' },
    ...toFigures(`rescue, ${place}: up to 4 options`, rescue, rescueTargets),
    { name: `rescue, ${place}: options, mean of ${rescue.rescues} trips`, value: rescue.options, unit: '' },
  ];
}

function toMemoryFigures([alone = Number.NaN, ...together]: readonly number[]): Figure[] {
  const withThreads = together.flatMap((bytes, i): Figure[] => [
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

function toLoadFigures({ steady, beyond }: PlannerLoad): Figure[] {
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
