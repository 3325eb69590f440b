import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { TripRequest } from '../../api/contract/definitions.ts';
import { openPlaceIndex } from '../../api/engine/places/place-index.ts';
import { locatePlace } from '../../api/engine/places/present-place.ts';
import { openPlanner } from '../../api/engine/planner/open-planner.ts';
import { openTimetable } from '../../api/engine/read/timetable.ts';
import { openPlaces } from '../../api/engine/trips/places.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { buildPlaces } from '../../pipeline/places/build-places.ts';
import { readPlacesSnapshot } from '../../pipeline/snapshots/places-files.ts';
import type { TimetableSnapshot } from '../../pipeline/snapshots/timetable-contract.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { buildStreets } from '../../pipeline/streets/build-streets.ts';
import { openWalkRouter } from '../../pipeline/streets/open-walk-router.ts';
import type { Point } from '../../pipeline/streets/street-path.ts';
import { realData } from '../support/worlds/real-data.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import type { ModesInput } from './child-tasks.ts';
import { findCityZip } from './ingest-bench.ts';
import { type Metric, quantile } from './metric.ts';
import { CITY_DAY_START, listCityQuestions, type TripQuestion, toTripRequest } from './planner-questions.ts';
import { listWarmUp } from './planner-speed.ts';
import { openPlannerDesk, type PlannerDesk } from './planner-world.ts';

const LIECHTENSTEIN = 'osm/liechtenstein.osm.pbf';
const QUESTIONS = 300;
const QUICK_QUESTIONS = 50;

/**
 * Compares trip pages with access by bicycle and on foot. The only streets in the real data are those of Liechtenstein, so
 * the stations of a real city are moved to houses there. Neighbours stay neighbours, so that the street engine measures
 * ways to as many stations as in the city.
 */
export async function benchModes(bench: Bench): Promise<Metric[]> {
  const zip = findCityZip(bench, 'trips by bicycle in a real city');
  const pbf = realData(LIECHTENSTEIN);
  if (zip === null) return [];
  if (!existsSync(pbf)) {
    bench.progress(`SKIPPED: trips by bicycle; ${pbf} does not exist. Set TAKTGEBER_REAL_DATA to its folder.`);
    return [];
  }
  const dataDir = await bench.makeFolder();
  bench.progress('streets of Liechtenstein, and trips in Bydgoszcz, on foot and by bicycle in turns');
  await runInChild('ingest', { zip, dataDir });
  const questions = bench.size.name === 'national' ? QUESTIONS : QUICK_QUESTIONS;
  return runInChild('planner_modes', { dataDir, pbf, questions });
}

const requests = {
  'on foot': {},
  'with bicycle access': { access: { modes: ['walk', 'bike'] } },
} as const satisfies Record<string, Partial<TripRequest>>;
type Way = keyof typeof requests;

/** Measures the processor time of pages in milliseconds, alternately on foot and by bicycle, with streets in this process. */
export async function measureModes({ dataDir, pbf, questions: count }: ModesInput): Promise<Metric[]> {
  const effects = { clock: systemClock, log: silentLog };
  const { signal } = new AbortController();
  await buildStreets({ pbf, dataDir, modes: ['walk', 'bike'], signal }, effects);
  const snapshot = await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!);
  moveStations(snapshot, await listHouses(path.join(dataDir, 'houses'), pbf));
  const timetable = openTimetable(snapshot);
  const walks = await openWalkRouter(dataDir);
  const world = { snapshot, planner: openPlanner(timetable), places: openPlaces(timetable) };
  const desk = openPlannerDesk(world, null, null, walks);
  const questions = listCityQuestions(timetable, CITY_DAY_START, count);
  await timePages(desk, listWarmUp(questions));
  return toMetrics(await timePages(desk, questions));
}

/** Lists the houses of an index in a separate folder without a timetable, whose stops it would have to cover. */
async function listHouses(dataDir: string, pbf: string): Promise<Point[]> {
  const request = { pbf, registerFolder: null, dataDir, signal: new AbortController().signal };
  const { manifest } = await buildPlaces(request, { clock: systemClock, log: silentLog });
  const index = openPlaceIndex(await readPlacesSnapshot(dataDir, manifest.id));
  return Array.from(index.tables.placeHouses.ref, (_, house) => locatePlace(index, { place: 0, house }));
}

/** Moves stations to houses so that neighbours remain neighbours: both are sorted into bands from south to north. */
function moveStations({ tables }: TimetableSnapshot, houses: readonly Point[]): void {
  const { station, lat, lon } = tables.stops;
  const stations = [...new Set(station)].map((row) => ({ row, lat: lat[row]!, lon: lon[row]! }));
  const bands = Math.ceil(Math.sqrt(stations.length));
  const chosen = sortIntoBands(
    Array.from(stations, (_, i) => houses[Math.floor((i * houses.length) / stations.length)]!),
    bands,
  );
  const places = new Map(sortIntoBands(stations, bands).map(({ row }, i) => [row, chosen[i]!]));
  for (const [stop, row] of station.entries()) [lat[stop], lon[stop]] = [places.get(row)!.lat, places.get(row)!.lon];
}

function sortIntoBands<Place extends Point>(places: readonly Place[], bands: number): Place[] {
  const sorted = [...places].sort((a, b) => a.lat - b.lat);
  const size = Math.ceil(sorted.length / bands);
  const cut = Array.from({ length: bands }, (_, i) => sorted.slice(i * size, (i + 1) * size));
  return cut.flatMap((band) => band.sort((a, b) => a.lon - b.lon));
}

/** Time between a first and a later page of one search, for which the ways to stations are remembered. */
const LATER_SECONDS = 900;

/** Processor time of the pages of a way, in milliseconds. */
interface PageTimes {
  readonly first: number[];
  readonly later: number[];
}

async function timePages(
  desk: PlannerDesk,
  questions: readonly TripQuestion[],
): Promise<Readonly<Record<Way, PageTimes>>> {
  const newTimes = (): PageTimes => ({ first: [], later: [] });
  const times = { 'on foot': newTimes(), 'with bicycle access': newTimes() };
  const ways = Object.keys(requests) as Way[];
  for (const [i, question] of questions.entries()) {
    // The second run finds warm caches, so the order alternates.
    for (const way of i % 2 === 0 ? ways : ways.toReversed()) {
      times[way].first.push(await timePage(desk, question, way));
      const later = { ...question, time: (question.time + LATER_SECONDS) as Instant };
      times[way].later.push(await timePage(desk, later, way));
    }
  }
  return times;
}

async function timePage(desk: PlannerDesk, question: TripQuestion, way: Way): Promise<number> {
  const request: TripRequest = { ...toTripRequest(question), ...(requests[way] as Partial<TripRequest>) };
  const before = process.cpuUsage();
  await desk.answerRequest(request, question.time);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const shares = [
  { name: 'p50', share: 0.5, atMost: 1.5 },
  { name: 'p99', share: 0.99, atMost: 2 },
] as const;
const pages = [
  { page: 'first', name: 'page' },
  { page: 'later', name: 'later page' },
] as const;

function toMetrics(times: Readonly<Record<Way, PageTimes>>): Metric[] {
  return pages.flatMap(({ page, name }) => shares.flatMap((share) => compareWays(times, page, name, share)));
}

function compareWays(
  times: Readonly<Record<Way, PageTimes>>,
  page: keyof PageTimes,
  pageName: string,
  { name, share, atMost }: (typeof shares)[number],
): Metric[] {
  const at = (way: Way) =>
    quantile(
      times[way][page].toSorted((a, b) => a - b),
      share,
    );
  return [
    ...(Object.keys(requests) as Way[]).map((way) => ({
      name: `trips, city with streets: ${pageName} ${way}, processor time, ${name}`,
      value: at(way),
      unit: 'ms',
    })),
    {
      name: `trips, city with streets: ${pageName} with bicycle access against on foot, ${name}`,
      value: at('with bicycle access') / at('on foot'),
      unit: '×',
      target: { atMost },
    },
  ];
}
