import path from 'node:path';
import Database from 'libsql';
import { openRealtime, type Published, type Realtime } from '../../api/engine/read/realtime.ts';
import { createReferences, REFERENCE_KEY_BYTES } from '../../api/engine/read/references.ts';
import { getStopId } from '../../api/engine/read/stop-ids.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { createWatchService } from '../../api/watches/service/watch-service.ts';
import { openWatchStore } from '../../api/watches/store/sql-store.ts';
import { NOTHING_EMITTED, type WatchedLeg, type WatchSpec } from '../../api/watches/watch.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { localDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { openPlannedCalls } from '../../pipeline/realtime/state/planned-calls.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { runsOn } from '../../pipeline/snapshots/timetable-lookups.ts';
import { TEST_KEY } from '../support/worlds/board-world.ts';
import type { Bench } from './bench.ts';
import { runInChild } from './child.ts';
import { type WatchesInput, warningsOnly } from './child-tasks.ts';
import { makeRandom } from './made-up-stops.ts';
import { type Metric, median } from './metric.ts';
import { BENCH_NOW } from './national-questions.ts';
import { makeTraffic } from './national-traffic.ts';
import { buildRealtime } from './realtime-snapshot.ts';

interface WatchMeasures {
  /** Milliseconds. */
  readonly make: number;
  readonly start: number;
  readonly unchanged: number;
  readonly tenthChanged: number;
  readonly timetable: number;
  /** Events sent at the start. */
  readonly events: number;
  readonly memoryMegabytes: number;
}

const WATCHES = 100_000;
const MADE = 500;
const ROUNDS = 6;

/** Measures watches of trips in the next hours, evaluated in one process after each swap of the realtime of a country. */
export async function benchWatches(bench: Bench): Promise<Metric[]> {
  const { dataDir } = await bench.national();
  const { runningTrips } = bench.size;
  bench.progress(`${WATCHES} watches on ${runningTrips} trips with realtime`);
  const folder = await bench.makeFolder();
  const measured = await runInChild('watches', { dataDir, folder, runningTrips, watches: WATCHES });
  const judged = (name: string, milliseconds: number): Metric => {
    return { name: `watches: 100,000 judged, ${name}`, value: milliseconds / 1000, unit: 's' };
  };
  return [
    { name: 'watches: one made and on the disk', value: measured.make, unit: 'ms' },
    { name: 'watches: 100,000 new ones read and judged', value: measured.start / 1000, unit: 's' },
    { name: 'watches: events of these', value: measured.events, unit: '' },
    judged('nothing changed', measured.unchanged),
    { ...judged('a tenth of the trips a minute later', measured.tenthChanged), target: { atMost: 1 } },
    judged('and found in a new timetable', measured.timetable),
    { name: 'watches: heap of 100,000', value: measured.memoryMegabytes, unit: 'MB' },
  ];
}

/** Two thirds of the watches are for running trips; half have a transfer. */
export async function measureWatches({ dataDir, folder, runningTrips, watches }: WatchesInput): Promise<WatchMeasures> {
  const id = await findCurrentTimetableId(dataDir);
  if (id === null) throw new Error(`no snapshot is published in ${dataDir}`);
  const snapshot = await readTimetableSnapshot(dataDir, id);
  const timetable = openTimetable(snapshot);
  const traffic = makeTraffic(timetable, BENCH_NOW, { tripCount: runningTrips, oddEvery: 200 });
  const calm = openRealtime(await buildRealtime(snapshot, traffic, BENCH_NOW), null);
  const tenth = openRealtime(await buildRealtime(snapshot, traffic, BENCH_NOW, 'tenth'), calm);
  const specs = listSpecs({ timetable, realtime: calm }, watches);
  const file = path.join(folder, 'watches.sqlite');
  const clock = fixedClock(new Date(BENCH_NOW * 1000).toISOString());
  const limits = { maxTotal: 2 * watches, maxPerAddress: watches, maxPerToken: watches };
  const store = await openWatchStore({ file, postgresUrl: null }, { clock, log: warningsOnly });
  fillStore(file, specs);
  const service = createWatchService({ store, referenceKey: TEST_KEY, limits, clock });
  let swaps = 0;
  /** Gives the snapshot the current time, since a snapshot older than the previous one is not evaluated. */
  const follow = async (realtime: Realtime, of = timetable) => {
    const createdAt = new Date(BENCH_NOW * 1000 + ++swaps).toISOString();
    const published = { timetable: of, realtime: { ...realtime, manifest: { ...realtime.manifest, createdAt } } };
    const started = performance.now();
    const events = await service.follow(published);
    return { milliseconds: performance.now() - started, events };
  };
  const measure = async (realtimes: readonly Realtime[]) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push((await follow(realtimes[round % realtimes.length]!)).milliseconds);
    }
    return median(times);
  };
  const memoryBefore = measureMemory();
  const start = await follow(calm);
  await follow(calm);
  const memoryMegabytes = (measureMemory() - memoryBefore) / 1e6;
  const measured = {
    unchanged: await measure([calm]),
    tenthChanged: await measure([tenth, calm]),
    timetable: (await follow(calm, openTimetable(snapshot))).milliseconds,
  };
  const made = performance.now();
  for (const [i, spec] of specs.slice(0, MADE).entries()) {
    await service.watch({ id: null, spec, target: null, owner: '', address: String(i) }, null);
  }
  const make = (performance.now() - made) / MADE;
  await service.close();
  return { make, start: start.milliseconds, events: start.events, ...measured, memoryMegabytes };
}

/** One transaction instead of a hundred thousand. */
function fillStore(file: string, specs: readonly WatchSpec[]): void {
  const database = new Database(file);
  database.exec('begin');
  const insert = database.prepare(
    `insert into watches values (?, 'trip', '', 'of the bench', ?, null, ?, 0, ${BENCH_NOW + 86_400}, ?, null)`,
  );
  const memory = JSON.stringify(NOTHING_EMITTED);
  specs.forEach((spec, i) => void insert.run([`watch ${i}`, JSON.stringify(spec), memory, i + 1]));
  database.exec(`update watch_counters set value = ${specs.length} where name in ('change', 'total')`);
  database.exec('commit');
  database.close();
}

function measureMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

// ---- What is watched ---------------------------------------------------------------------------

function listSpecs({ timetable, realtime }: Published, count: number): WatchSpec[] {
  const random = makeRandom(14);
  const references = createReferences(new Uint8Array(REFERENCE_KEY_BYTES).fill(1));
  const { trip: reported } = realtime!.tables.trips;
  const later = listLaterTrips(timetable);
  const pick = (trips: ArrayLike<number>) => trips[Math.floor(random() * trips.length)]!;
  const legOf = (trip: number): WatchedLeg => {
    const { trips, patterns, patternCalls } = timetable.tables;
    const pattern = trips.pattern[trip]!;
    const [first, calls] = [patterns.firstCall[pattern]!, patterns.callCount[pattern]!];
    const board = Math.floor(random() * (calls - 1));
    const alight = board + 1 + Math.floor(random() * (calls - 1 - board));
    const stopAt = (position: number) => getStopId(timetable, patternCalls.stop[first + position]!);
    const journey = { tripKey: trips.key[trip]!, day: DAY };
    return {
      journeyRef: references.sealJourney(journey),
      tripKey: journey.tripKey.toString(),
      day: DAY,
      originId: stopAt(board),
      destinationId: stopAt(alight),
    };
  };
  return Array.from({ length: count }, () => {
    const first = legOf(random() < 2 / 3 ? pick(reported) : pick(later));
    const legs = random() < 0.5 ? [first] : [first, legOf(pick(later))];
    return { kind: 'trip', until: null, legs, minDelayMinutes: 5 };
  });
}

const DAY = toEpochDay(localDate(BENCH_NOW, 'Europe/Vienna'));
const LATER_SECONDS = 4 * 3600;

function listLaterTrips({ tables }: Timetable): number[] {
  const planned = openPlannedCalls(tables);
  const trips = Array.from({ length: tables.trips.service.length }, (_, trip) => trip);
  return trips.filter((trip) => {
    if (!runsOn(tables, tables.trips.service[trip]!, DAY)) return false;
    const departure = planned.departure(trip, DAY, 0);
    return departure > BENCH_NOW + 1800 && departure < BENCH_NOW + LATER_SECONDS;
  });
}
