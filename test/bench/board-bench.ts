import type { Board } from '../../api/contract/definitions.ts';
import { encodeBoard } from '../../api/engine/boards/boards.ts';
import { findStopsByName } from '../../api/engine/places/find-stops.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { findStopsNearby } from '../../api/engine/search/stops.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { type Metric, measureRuns, quantile } from './metric.ts';
import { BENCH_NOW, listRequestedStops } from './national-questions.ts';

interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface BoardMeasures {
  readonly boards: Quantiles;
  readonly dayBoards: Quantiles;
  readonly search: Quantiles;
  readonly nearby: Quantiles;
}

const ROUNDS = 5;
const QUESTIONS = 1000;
const DEPARTURES = 30;

/** Measures the engine on the national snapshot, in a separate process, without HTTP. */
export async function benchBoards(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  bench.progress('boards, search and nearby in process');
  const { boards, dayBoards, search, nearby } = await runInChild('boards', { dataDir });
  return [
    ...toMetrics('board of 30 departures, computed afresh', boards, 2),
    ...toMetrics('board of 30 departures out of a whole day', dayBoards),
    ...toMetrics('search by name, engine', search, 10),
    ...toMetrics('nearby, 1 km, engine', nearby, 2),
  ];
}

function toMetrics(name: string, { p50, p99 }: Quantiles, atMost?: number): Metric[] {
  return [
    { name: `${name}: p50`, value: p50, unit: 'ms' },
    { name: `${name}: p99`, value: p99, unit: 'ms', ...(atMost === undefined ? {} : { target: { atMost } }) },
  ];
}

export async function measureBoards(dataDir: string): Promise<BoardMeasures> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  const timetable = openTimetable(await readTimetableSnapshot(dataDir, id));
  return {
    boards: measureDepartures(timetable, 60),
    dayBoards: measureDepartures(timetable, 1440),
    search: measure(listSearches(timetable)),
    nearby: measure(listLookups(timetable)),
  };
}

/** Measures full boards; each round uses other instants, so that caches do not help. */
function measureDepartures(timetable: Timetable, durationMinutes: number): Quantiles {
  const references = createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1));
  const getBoard = (stop: string, time: number) => {
    const context = { published: { timetable, realtime: null }, references, instant: time as Instant };
    return encodeBoard(context, stop, { durationMinutes, limit: DEPARTURES }, 'departures');
  };
  const isFull = (board: Buffer) => (JSON.parse(board.toString()) as Board).departures.length === DEPARTURES;
  const stops = listRequestedStops(timetable, QUESTIONS).filter(({ id }) => isFull(getBoard(id, BENCH_NOW)));
  if (stops.length === 0) throw new Error('no stop of the timetable has a full board');
  let count = 0;
  return measure(
    stops.map(
      ({ id }) =>
        () =>
          getBoard(id, BENCH_NOW + (count++ % 3600)),
    ),
  );
}

function listSearches(timetable: Timetable): (() => unknown)[] {
  return listRequestedStops(timetable, QUESTIONS).map(({ entry }, i) => {
    const name = timetable.tables.stops.name.get(timetable.tables.searchEntries.stop[entry]!);
    // Input while users type: whole names, prefixes and typing errors.
    const typed = [name, name.slice(0, 3 + (i % 5)), `${name.slice(0, 4)}${name.slice(5)}`][i % 3]!;
    return () => findStopsByName(timetable, { query: typed, limit: 10 });
  });
}

function listLookups(timetable: Timetable): (() => unknown)[] {
  return listRequestedStops(timetable, QUESTIONS).map(({ entry }) => {
    const lat = timetable.searchCoordinates.lat[entry]! + 0.002;
    const lon = timetable.searchCoordinates.lon[entry]! - 0.002;
    return () => findStopsNearby(timetable, { lat, lon, radiusMeters: 1000, limit: 20 });
  });
}

function measure(runs: readonly (() => unknown)[]): Quantiles {
  const sorted = measureRuns(runs, ROUNDS);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}
