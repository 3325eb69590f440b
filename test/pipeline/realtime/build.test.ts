import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TripReport } from '../../../pipeline/model/realtime.ts';
import type { Instant, ServiceDate } from '../../../pipeline/model/service-time.ts';
import { openPlannedCalls } from '../../../pipeline/realtime/planned-calls.ts';
import {
  callFlags,
  type RealtimeTables,
  readRealtimeBytes,
  writeRealtimeBytes,
} from '../../../pipeline/snapshots/realtime-contract.ts';
import { instant, openWorld, type World } from '../../support/board-world.ts';
import { soundFeed } from '../../support/ingest.ts';
import { alertOf, callOf, reportOf, stopOf, tripOf, vehicleOf } from '../../support/live-reports.ts';
import { openLiveWorld } from '../../support/live-world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
}, 60_000);

const START = instant('2026-03-03T07:00:00+01:00');
const moment = (minutes: number) => (START + minutes * 60) as Instant;
const iso = (minutes: number) => new Date(moment(minutes) * 1000).toISOString();

const STOPS = ['a', 'b', 'c'] as const;
const days = ['2026-03-02', '2026-03-03', '2026-03-04'] as ServiceDate[];

const time = fc.option(fc.record({ minutes: fc.integer({ min: 0, max: 240 }), isMeasured: fc.boolean() }), {
  nil: null,
});
const call = fc.record({
  arrival: time,
  departure: time,
  state: fc.constantFrom('normal' as const, 'normal' as const, 'skipped' as const, 'noData' as const),
  platform: fc.constantFrom(null, '1', '2a'),
});
const report = fc.record({
  tripId: fc.constantFrom('t1', 't2', 'unknown'),
  day: fc.constantFrom(...days),
  relationship: fc.constantFrom('scheduled' as const, 'scheduled' as const, 'cancelled' as const, 'added' as const),
  delaySeconds: fc.option(fc.integer({ min: -60, max: 3000 }), { nil: null }),
  calls: fc.array(fc.tuple(fc.constantFrom(...STOPS, 'z'), call), { maxLength: 4 }),
});
const answer = fc.record({
  source: fc.constantFrom('one', 'two'),
  minutes: fc.integer({ min: 0, max: 150 }),
  isPropagating: fc.boolean(),
  reports: fc.array(report, { maxLength: 4 }),
  vehicles: fc.array(fc.constantFrom('v1', 'v2', 'v3'), { maxLength: 3 }),
  alerts: fc.array(fc.constantFrom('n1', 'n2'), { maxLength: 2 }),
});
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never;

function toReport({ tripId, day, relationship, delaySeconds, calls }: Answer['reports'][number]): TripReport {
  const event = (told: { minutes: number; isMeasured: boolean } | null) =>
    told && { scheduledTime: null, time: moment(told.minutes), delaySeconds: null, isMeasured: told.isMeasured };
  return reportOf(tripOf(tripId, { startDate: day }), {
    relationship,
    delaySeconds,
    place: `entity ${tripId}`,
    calls: calls.map(([stop, { arrival, departure, state, platform }]) =>
      callOf(stopOf(stop, stop), { arrival: event(arrival), departure: event(departure), state, platform }),
    ),
  });
}

async function play(answers: readonly Answer[]) {
  const live = await openLiveWorld(world, ['one', 'two']);
  const inOrder = [...answers].sort((a, b) => a.minutes - b.minutes);
  for (const { source, minutes, isPropagating, reports, vehicles, alerts } of inOrder) {
    const applied = live.say(source, iso(minutes), {
      isPropagating,
      trips: reports.map(toReport),
      vehicles: vehicles.map((id) => vehicleOf(id, { trip: tripOf('t1', { startDate: days[1]! }) })),
      alerts: alerts.map((id) => alertOf(id)),
      recordCount: reports.length + vehicles.length + alerts.length,
    });
    const told = [...Object.values(applied.tally.matched), ...Object.values(applied.tally.unmatched)];
    // Every trip of an answer is matched or not, and says why.
    expect(told.reduce((sum, n) => sum + n, 0)).toBe(reports.length);
    expect(applied.tally.vehiclesMatched + applied.tally.vehiclesUnmatched).toBe(vehicles.length);
  }
  const end = inOrder.at(-1)?.minutes ?? 0;
  return live.state.build(moment(end));
}

const columns = (table: object) => Object.values(table) as { readonly length: number }[];

/** Rows refer to rows that are there; what is sorted is sorted. */
function expectWellFormed(tables: RealtimeTables): void {
  const {
    trips,
    calls,
    addedTrips,
    addedCalls,
    addedStations,
    addedStationCalls,
    lateStops,
    lateCalls,
    vehicles,
    texts,
  } = tables;
  for (const table of Object.values(tables)) {
    expect(new Set(columns(table).map(({ length }) => length)).size).toBe(1);
  }
  const planned = openPlannedCalls(world.timetable.tables);
  let next = 0;
  for (let row = 0; row < trips.trip.length; row++) {
    expect(trips.firstCall[row]).toBe(next);
    next += planned.callCount(trips.trip[row]!);
    if (row > 0) {
      const isRising =
        trips.trip[row - 1]! < trips.trip[row]! ||
        (trips.trip[row - 1] === trips.trip[row] && trips.day[row - 1]! < trips.day[row]!);
      expect(isRising).toBe(true);
    }
  }
  expect(calls.arrival.length).toBe(next);
  const addedCallCount = [...addedTrips.callCount].reduce((sum, count) => sum + count, 0);
  expect(addedCalls.stop.length).toBe(addedCallCount);
  expect(addedStationCalls.addedTrip.length).toBe([...addedCalls.stop].filter((stop) => stop >= 0).length);
  expectGroups(lateStops.stop, lateStops.firstLate, lateStops.lateCount, lateCalls.trip.length);
  expectGroups(
    addedStations.station,
    addedStations.firstCall,
    addedStations.callCount,
    addedStationCalls.addedTrip.length,
  );
  for (const column of [calls.platform, addedCalls.platform, addedTrips.headsign, vehicles.id]) {
    expect([...column].every((row) => row >= -1 && row < texts.text.length)).toBe(true);
  }
}

function expectGroups(stop: Int32Array, first: Int32Array, count: Int32Array, length: number): void {
  let next = 0;
  stop.forEach((one, row) => {
    if (row > 0) expect(one).toBeGreaterThan(stop[row - 1]!);
    expect(first[row]).toBe(next);
    next += count[row]!;
  });
  expect(next).toBe(length);
}

/** All calls that are later than planned, found by looking at every one. */
function findLate({ trips, calls }: RealtimeTables): string[] {
  const planned = openPlannedCalls(world.timetable.tables);
  const late: string[] = [];
  trips.trip.forEach((trip, row) => {
    for (let position = 0; position < planned.callCount(trip); position++) {
      const at = trips.firstCall[row]! + position;
      if ((calls.flags[at]! & callFlags.cancelled) !== 0) continue;
      const day = trips.day[row]!;
      const isLate =
        calls.arrival[at]! > planned.arrival(trip, day, position) ||
        calls.departure[at]! > planned.departure(trip, day, position);
      if (isLate) late.push(`${planned.stop(trip, position)} ${row} ${position}`);
    }
  });
  return late.sort();
}

function listLate({ lateStops, lateCalls }: RealtimeTables): string[] {
  const listed: string[] = [];
  lateStops.stop.forEach((stop, row) => {
    const first = lateStops.firstLate[row]!;
    for (let i = first; i < first + lateStops.lateCount[row]!; i++) {
      listed.push(`${stop} ${lateCalls.trip[i]} ${lateCalls.position[i]}`);
    }
  });
  return listed.sort();
}

const toBytes = (tables: RealtimeTables) =>
  writeRealtimeBytes({
    manifest: {
      kind: 'realtime',
      formatVersion: 1,
      id: 'test',
      timetableId: world.timetable.manifest.id,
      createdAt: '2026-03-03T07:00:00.000Z',
      sources: [],
    },
    tables,
  });

describe('whatever is said', () => {
  test('the tables hold together, list who is late, and survive being written', async () => {
    let late = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 8 }), async (answers) => {
        const tables = await play(answers);
        expectWellFormed(tables);
        expect(listLate(tables)).toEqual(findLate(tables));
        late += listLate(tables).length;
        const bytes = toBytes(tables);
        const read = readRealtimeBytes(bytes, 'of a test').tables;
        expect(Buffer.compare(toBytes(read), bytes)).toBe(0);
      }),
      { numRuns: 150, seed: 20_260_305 },
    );
    expect(late).toBeGreaterThan(50);
  });

  test('the same answers make the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { maxLength: 6 }), async (answers) => {
        expect(Buffer.compare(toBytes(await play(answers)), toBytes(await play(answers)))).toBe(0);
      }),
      { numRuns: 40, seed: 20_260_306 },
    );
  });
});
