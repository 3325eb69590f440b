import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyUpdate, type SourceUpdate } from '../../../pipeline/model/realtime.ts';
import { rememberDays } from '../../../pipeline/model/zone-days.ts';
import {
  CALL_CANCELLED,
  REALTIME_FORMAT_VERSION,
  type RealtimeTables,
  tripFlags,
} from '../../../pipeline/snapshots/realtime-contract.ts';
import { readRealtimeBytes, writeRealtimeBytes } from '../../../pipeline/snapshots/realtime-files.ts';
import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { clock, clockText, DATE, type LiveLine, openLiveLine, type ReportedCall, reported } from './live-line.ts';
import { alertReport, vehicleReport } from './matching/matching-world.ts';

// For any reports in any order, the resulting tables can be read without checks.

const minutes = fc.integer({ min: -10, max: 90 });
const time = fc.option(
  fc
    .tuple(minutes, fc.boolean())
    .map(([m, isMeasured]) => `${clockText(clock('08:00') + m * 60)}${isMeasured ? '!' : ''}`),
  { nil: null },
);
const state = fc.constantFrom('normal', 'normal', 'normal', 'skipped', 'noData', 'unplanned');
const plannedCalls = fc
  .uniqueArray(fc.record({ sequence: fc.integer({ min: 1, max: 4 }), times: fc.tuple(time, time), state } as const), {
    selector: ({ sequence }) => sequence,
    maxLength: 4,
  })
  .map((calls) => calls.sort((a, b) => a.sequence - b.sequence) as ReportedCall[]);
const freeCalls = fc.array(
  fc.record({ stop: fc.constantFrom('a', 'b1', 'c', 'd', 'nowhere'), times: fc.tuple(time, time), state } as const),
  { maxLength: 5 },
) as fc.Arbitrary<ReportedCall[]>;

const scheduled = fc
  .tuple(fc.constantFrom('bus', 'late', 'night', 'loop', 'gone'), plannedCalls, fc.option(minutes, { nil: null }))
  .chain(([id, calls, delay]) =>
    fc
      .constantFrom('scheduled', 'scheduled', 'scheduled', 'cancelled', 'deleted')
      .map((relationship) =>
        reported(id, calls, { relationship: relationship as 'scheduled', delaySeconds: delay && delay * 60 }),
      ),
  );
const unplanned = fc
  .tuple(
    fc.constantFrom('bus', 'extra', 'more'),
    freeCalls,
    fc.constantFrom('added', 'replacement', 'duplicated', 'unscheduled'),
  )
  .map(([id, calls, relationship]) =>
    reported({ tripId: id, startDate: DATE, lineLabel: 'E' }, calls, {
      relationship: relationship as 'added',
      newTripId: relationship === 'duplicated' ? `${id}-2` : null,
    }),
  );
const vehicle = fc
  .tuple(
    fc.constantFrom('v1', 'v2', 'v3'),
    fc.constantFrom('bus', 'extra', null),
    fc.integer({ min: 1, max: 5 }),
    fc.boolean(),
  )
  .map(([id, trip, call, isStopped]) =>
    vehicleReport(trip === null ? null : { tripId: trip, startDate: DATE }, {
      id,
      stopSequence: call,
      stopStatus: isStopped ? 'stoppedAt' : 'inTransitTo',
    }),
  );

interface Step {
  readonly source: string;
  readonly part: string;
  readonly update: SourceUpdate;
}

const step: fc.Arbitrary<Step> = fc.record({
  source: fc.constantFrom('one', 'two'),
  part: fc.constantFrom('p', 'q'),
  update: fc
    .record({
      isPropagating: fc.boolean(),
      isFrozen: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
      scope: fc.constantFrom('all', 'mentioned'),
      trips: fc.array(fc.oneof(scheduled, scheduled, unplanned), { maxLength: 5 }),
      vehicles: fc.array(vehicle, { maxLength: 3 }),
      alerts: fc.subarray(['a', 'b']).map((ids) => ids.map((id) => alertReport({ id, title: id }))),
      deletedIds: fc.subarray(['bus', 'extra', '1']),
    } as const)
    .map((update) => ({ ...emptyUpdate, ...update, recordCount: update.trips.length })),
});
const steps = fc.array(step, { minLength: 1, maxLength: 8 });

async function reportAll(all: readonly Step[]): Promise<{ line: LiveLine; at: string }> {
  const line = await openLiveLine(['one', 'two']);
  let at = '07:55';
  for (const [i, { source, part, update }] of all.entries()) {
    at = clockText(clock('08:00') + i * 300);
    const { tally } = line.report(at, update, { source, part });
    checkTally(tally, update);
  }
  return { line, at };
}

/** Every trip and every vehicle of a response is counted. */
function checkTally(tally: ReturnType<LiveLine['report']>['tally'], { trips, vehicles }: SourceUpdate): void {
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
  expect(sum(tally.matched) + sum(tally.unmatched)).toBe(trips.length);
  expect(tally.vehiclesMatched + tally.vehiclesOnRouteOnly + tally.vehiclesUnmatched).toBe(vehicles.length);
}

// ---- Invariants of the tables -----------------------------------------------------------------

function isRising(rows: Iterable<number | bigint>): boolean {
  const all = [...rows];
  return all.every((row, i) => i === 0 || all[i - 1]! < row);
}

function checkTables(tables: RealtimeTables, timetable: TimetableTables): void {
  checkTrips(tables, timetable);
  checkAdded(tables, timetable);
  checkLate(tables, timetable);
  const texts = tables.texts.text.length;
  const rows = [tables.calls.platform, tables.addedTrips.label, tables.addedCalls.stopName, tables.vehicles.id];
  for (const row of rows.flatMap((column) => [...column])) expect(row >= -1 && row < texts).toBe(true);
  for (const trip of tables.vehicles.addedTrip) expect(trip).toBeLessThan(tables.addedTrips.key.length);
}

function checkTrips({ trips, calls, addedTrips }: RealtimeTables, timetable: TimetableTables): void {
  expect(isRising([...trips.trip].map((trip, i) => trip * 1e6 + trips.day[i]!))).toBe(true);
  let next = 0;
  trips.trip.forEach((trip, row) => {
    expect(trips.firstCall[row]).toBe(next);
    const count = timetable.patterns.callCount[timetable.trips.pattern[trip]!]!;
    const cancelled = [...calls.flags.subarray(next, next + count)].filter(
      (flags) => (flags & CALL_CANCELLED) === CALL_CANCELLED,
    ).length;
    const flags = trips.flags[row]!;
    expect((flags & tripFlags.cancelled) !== 0).toBe(cancelled === count);
    expect((flags & tripFlags.partlyCancelled) !== 0).toBe(cancelled > 0 && cancelled < count);
    expect((flags & tripFlags.replaced) !== 0).toBe(trips.replacedBy[row]! >= 0);
    expect(trips.replacedBy[row]).toBeLessThan(addedTrips.key.length);
    next += count;
  });
  expect(calls.arrival).toHaveLength(next);
  calls.arrival.forEach((arrival, row) => {
    const departure = calls.departure[row]!;
    expect(arrival > 0).toBe(calls.arrivalPrognosis[row]! > 0);
    expect(departure > 0).toBe(calls.departurePrognosis[row]! > 0);
    if ((calls.flags[row]! & CALL_CANCELLED) === CALL_CANCELLED) expect([arrival, departure]).toEqual([0, 0]);
    if (arrival > 0 || departure > 0) expect(calls.expiresAt[row]).toBeGreaterThan(0);
  });
}

function checkAdded(tables: RealtimeTables, timetable: TimetableTables): void {
  const { addedTrips, addedCalls, addedStations, addedStationCalls } = tables;
  expect(isRising([...addedTrips.key].map((key, i) => key * 1_000_000n + BigInt(addedTrips.day[i]!)))).toBe(true);
  const places: string[] = [];
  let next = 0;
  addedTrips.key.forEach((_key, row) => {
    expect(addedTrips.firstCall[row]).toBe(next);
    expect(addedTrips.callCount[row]).toBeGreaterThan(0);
    for (let position = 0; position < addedTrips.callCount[row]!; position++) {
      const stop = addedCalls.stop[next + position]!;
      expect(stop).toBeLessThan(timetable.stops.name.length);
      if (stop >= 0) places.push(`${timetable.stops.station[stop]} ${row} ${position}`);
    }
    next += addedTrips.callCount[row]!;
  });
  expect(addedCalls.stop).toHaveLength(next);
  expect(isRising(addedStations.station)).toBe(true);
  const listed = [...addedStations.station].flatMap((station, i) => {
    const first = addedStations.firstCall[i]!;
    return Array.from({ length: addedStations.callCount[i]! }, (_, k) => {
      return `${station} ${addedStationCalls.addedTrip[first + k]} ${addedStationCalls.position[first + k]}`;
    });
  });
  expect(listed.sort()).toEqual(places.sort());
}

/** All calls later than scheduled, found by checking each one. */
function checkLate(tables: RealtimeTables, timetable: TimetableTables): void {
  const { trips, calls, lateStops, lateCalls } = tables;
  const days = rememberDays('Europe/Vienna');
  const expected: string[] = [];
  trips.trip.forEach((trip, row) => {
    const pattern = timetable.trips.pattern[trip]!;
    const count = timetable.patterns.callCount[pattern]!;
    const firstTime = timetable.patterns.firstTime[pattern]! + (trip - timetable.patterns.firstTrip[pattern]!) * count;
    for (let position = 0; position < count; position++) {
      const call = trips.firstCall[row]! + position;
      const start = days.startOf(trips.day[row]!);
      const isLate =
        calls.arrival[call]! > start + timetable.times.arrival[firstTime + position]! ||
        calls.departure[call]! > start + timetable.times.departure[firstTime + position]!;
      if (!isLate || (calls.flags[call]! & CALL_CANCELLED) === CALL_CANCELLED) continue;
      const stop = timetable.patternCalls.stop[timetable.patterns.firstCall[pattern]! + position]!;
      const planned = start + timetable.times.departure[firstTime + position]!;
      expected.push(`${stop} ${row} ${position} ${planned}`);
    }
  });
  expect(isRising(lateStops.stop)).toBe(true);
  const listed = [...lateStops.stop].flatMap((stop, i) => {
    const first = lateStops.firstLate[i]!;
    return Array.from({ length: lateStops.lateCount[i]! }, (_, k) => {
      const { trip, position, scheduledDeparture } = lateCalls;
      return `${stop} ${trip[first + k]} ${position[first + k]} ${scheduledDeparture[first + k]}`;
    });
  });
  expect(listed.sort()).toEqual(expected.sort());
}

function toBytes(tables: RealtimeTables): Uint8Array {
  const manifest = {
    kind: 'realtime',
    formatVersion: REALTIME_FORMAT_VERSION,
    id: 'x',
    timetableId: 't',
    createdAt: '',
    sources: [],
    models: [],
  } as const;
  return writeRealtimeBytes({ manifest, tables });
}

// ---- Properties --------------------------------------------------------------------------------

it('tables are sorted, complete and within their bounds', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { line, at } = await reportAll(all);
      for (const later of [0, 600, 7200]) {
        const tables = line.build(clockText(clock(at) + later));
        checkTables(tables, line.timetable);
        checkTables(readRealtimeBytes(toBytes(tables), 'of a test').tables, line.timetable);
      }
    }),
    { numRuns: 80 },
  );
});

it('the same responses in the same order give the same bytes, however often they are built in between', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const one = await reportAll(all);
      const other = await openLiveLine(['one', 'two']);
      for (const [i, { source, part, update }] of all.entries()) {
        const at = clockText(clock('08:00') + i * 300);
        other.report(at, update, { source, part });
        other.build(at);
      }
      expect(Buffer.compare(toBytes(one.line.build(one.at)), toBytes(other.build(one.at)))).toBe(0);
    }),
    { numRuns: 40 },
  );
});

it('sources that report different things may respond in any order', async () => {
  const oneStep = fc.record({ one: step, two: step });
  await fc.assert(
    fc.asyncProperty(oneStep, async ({ one, two }) => {
      const emit = async (order: readonly (readonly [string, Step])[]) => {
        const line = await openLiveLine(['one', 'two']);
        for (const [source, { part, update }] of order) line.report('08:00', update, { source, part });
        return toBytes(line.build('08:00'));
      };
      const forwards = await emit([
        ['one', one],
        ['two', two],
      ]);
      const backwards = await emit([
        ['two', two],
        ['one', one],
      ]);
      expect(Buffer.compare(forwards, backwards)).toBe(0);
    }),
    { numRuns: 40 },
  );
});
