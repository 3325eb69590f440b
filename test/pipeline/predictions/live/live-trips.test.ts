import { describe, expect, it } from 'vitest';
import type { Pairs } from '../../../../pipeline/predictions/features/build-features.ts';
import { buildFeatures } from '../../../../pipeline/predictions/features/build-features.ts';
import {
  type DatedTripTable,
  splitMinutes,
  withDayStarts,
} from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns, InstantRows } from '../../../../pipeline/predictions/features/instant-rows.ts';
import { numberTrains } from '../../../../pipeline/predictions/features/train-numbers.ts';
import { LiveTrips } from '../../../../pipeline/predictions/live/live-trips.ts';
import { departuresOf, observedBy, recordOf } from '../../../support/worlds/live-runs-world.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../../support/worlds/run-world.ts';

const DAYS = 6;
const LAST_DAY = FIRST_DAY + DAYS - 1;
const ROOM = { datedTrips: 20, calls: 400 };

/** No source reports when a train has left its terminus. */
function makeWorld(seed: number): DatedTripTable {
  const utc = makeDatedTripTable(seed, { days: DAYS, trains: 6, calls: 9 });
  const table = withDayStarts(utc, (datedTrip) => utc.dayStart[datedTrip]! - 7200);
  const departures = table.departureDelay.slice();
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++)
    departures[table.callStart[datedTrip + 1]! - 1] = Number.NaN;
  return numberTrains(withDelays(table, table.arrivalDelay, departures), departuresOf(table));
}

const firstOfLastDay = (table: DatedTripTable) => table.serviceDay.indexOf(LAST_DAY);

/** Every arrival and departure of the last day with every later call. */
function listLastDay(table: DatedTripTable): Pairs {
  const rows: { datedTrip: number; from: number; to: number; isStanding: number }[] = [];
  for (let datedTrip = firstOfLastDay(table); datedTrip < table.datedTripCount; datedTrip++) {
    const [start, end] = [table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!];
    for (let from = start; from < end - 1; from++) {
      for (const isStanding of from === start ? [0] : [1, 0]) {
        for (let to = from + 1; to < end; to++) rows.push({ datedTrip, from, to, isStanding });
      }
    }
  }
  return {
    count: rows.length,
    datedTrip: Int32Array.from(rows, (row) => row.datedTrip),
    from: Int32Array.from(rows, (row) => row.from),
    to: Int32Array.from(rows, (row) => row.to),
    isStanding: Uint8Array.from(rows, (row) => row.isStanding),
  };
}

/** Rows of the last day as a service builds them: instant by instant, from the observations up to then. */
function liveRows(reported: DatedTripTable, gridSeconds: number): Map<string, { row: number[]; offset: number }> {
  const first = firstOfLastDay(reported);
  const live = new LiveTrips(recordOf(reported, first), gridSeconds, ROOM);
  const rows = new InstantRows(live.table, live.index, live.statistics);
  const datedTrips = Array.from({ length: reported.datedTripCount - first }, (_, i) => first + i);
  const begin = reported.callStart[first]!;
  const instants = [...reported.arrivalTime.slice(begin), ...reported.departureTime.slice(begin)];
  const found = new Map<string, { row: number[]; offset: number }>();
  for (const at of [...new Set(instants.filter((time) => !Number.isNaN(time)))].sort((a, b) => a - b)) {
    const standings = datedTrips.map((datedTrip) => live.update(observedBy(reported, datedTrip, at)));
    standings.forEach((standing, i) => {
      const start = reported.callStart[datedTrips[i]!]!;
      if (!standing || standing.isOver || standing.observedAt !== at) return;
      rows.start(standing.datedTrip, standing.call, at, standing.isStanding);
      const count = reported.callStart[datedTrips[i]! + 1]! - start;
      for (let to = standing.position + 1; to < count; to++) {
        const row = new Float32Array(featureColumns.length);
        const offset = rows.write(standing.call - standing.position + to, row);
        const name = [start + standing.position, start + to, standing.isStanding ? 1 : 0].join(' ');
        found.set(name, { row: [...row], offset });
      }
    });
  }
  return found;
}

describe('features of a service at an instant', () => {
  it.each([
    [21, 1],
    [22, 1],
    [23, 60],
    [24, 60],
  ])('equal those of learning, dataset %i with delays on a grid of %i s', (seed, gridSeconds) => {
    const reported = makeWorld(seed);
    const table = gridSeconds === 60 ? splitMinutes(reported) : reported;
    const pairs = listLastDay(reported);
    const features = buildFeatures(table, pairs);
    const live = liveRows(reported, gridSeconds);
    expect(live.size).toBe(pairs.count);
    expect(pairs.count).toBeGreaterThan(100);
    const width = featureColumns.length;
    for (let pair = 0; pair < pairs.count; pair++) {
      const { row, offset } = live.get([pairs.from[pair], pairs.to[pair], pairs.isStanding[pair]].join(' '))!;
      expect(row).toEqual([...features.values.subarray(pair * width, (pair + 1) * width)]);
      expect(offset).toBe(features.offsets[pair]);
    }
  });
});

describe('the position of a trip', () => {
  const reported = makeWorld(31);
  const datedTrip = firstOfLastDay(reported);
  const start = reported.callStart[datedTrip]!;
  const last = reported.callStart[datedTrip + 1]! - 1;
  const open = () => new LiveTrips(recordOf(reported, datedTrip), 1, ROOM);

  it('is unknown before it departs', () => {
    expect(open().update(observedBy(reported, datedTrip, reported.departureTime[start]! - 1))).toBeNull();
  });

  it('is the call observed last, from its arrival on', () => {
    const live = open();
    const arrived = live.update(observedBy(reported, datedTrip, reported.arrivalTime[start + 2]!));
    expect(arrived).toMatchObject({ position: 2, isStanding: true, isOver: false });
    expect(arrived!.observedAt).toBe(reported.arrivalTime[start + 2]);
    const left = live.update(observedBy(reported, datedTrip, reported.departureTime[start + 2]!));
    expect(left).toMatchObject({ datedTrip: arrived!.datedTrip, position: 2, isStanding: false });
    expect(left!.observedAt).toBe(reported.departureTime[start + 2]);
  });

  it('ends with the last arrival', () => {
    expect(open().update(observedBy(reported, datedTrip, reported.arrivalTime[last]!))).toMatchObject({ isOver: true });
  });

  it('ignores a time that is hours off', () => {
    const observed = observedBy(reported, datedTrip, reported.departureTime[start]!);
    observed.departure[0] = reported.scheduledDeparture[start]! + 20_000;
    expect(open().update(observed)).toBeNull();
  });

  it('ignores implausible calls, including those received with an earlier arrival', () => {
    const live = open();
    const at = reported.arrivalTime[start + 2]!;
    expect(live.update(observedBy(reported, datedTrip, at))).toMatchObject({ position: 2 });
    const observed = observedBy(reported, datedTrip, at);
    observed.departure[2] = reported.scheduledDeparture[start + 2]! - 601;
    const standing = live.update(observed)!;
    expect(standing).toMatchObject({ position: 1, isStanding: false });
    expect(live.table.arrivalDelay[standing.call + 1]).toBeNaN();
    expect(live.table.departureDelay[standing.call + 1]).toBeNaN();
  });

  it('restarts for another schedule of the same trip', () => {
    const live = open();
    const observed = observedBy(reported, datedTrip, reported.departureTime[start]!);
    const before = live.update(observed)!;
    const moved = { ...observed, scheduledArrival: observed.scheduledArrival.map((time) => time + 60) };
    expect(live.update(moved)!.datedTrip).toBe(before.datedTrip + 1);
    expect(live.update(moved)!.datedTrip).toBe(before.datedTrip + 1);
  });

  it('reports when there is no room left', () => {
    const live = new LiveTrips(recordOf(reported, datedTrip), 1, { datedTrips: 1, calls: 400 });
    live.update(observedBy(reported, datedTrip, reported.departureTime[start]!));
    const other = { ...observedBy(reported, datedTrip, reported.departureTime[start]!), tripId: 'new' };
    expect(() => live.update(other)).toThrow(RangeError);
  });

  it('accepts names that the record lacks', () => {
    const live = open();
    const observed = {
      ...observedBy(reported, datedTrip, reported.departureTime[start + 1]!),
      tripId: 'new',
      routeId: 'new',
    };
    const standing = live.update({ ...observed, stopIds: observed.stopIds.map((stop) => `new ${stop}`) })!;
    const rows = new InstantRows(live.table, live.index, live.statistics);
    rows.start(standing.datedTrip, standing.call, standing.observedAt, standing.isStanding);
    const row = new Float32Array(featureColumns.length);
    rows.write(standing.call + 1, row);
    expect(row[featureColumns.indexOf('train_runs')]).toBe(0);
    expect(row[featureColumns.indexOf('current_delay')]).toBe(reported.departureDelay[start + 1]);
  });
});
