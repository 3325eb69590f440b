import { describe, expect, it } from 'vitest';
import { buildFeatures, choosePairs } from '../../../pipeline/predictions/features/build-features.ts';
import { buildDatedTripTable, type DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { FadingMeans } from '../../../pipeline/predictions/features/traffic.ts';
import { trafficColumns } from '../../../pipeline/predictions/features/traffic-features.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../support/worlds/run-world.ts';

type TrafficColumn = (typeof trafficColumns)[number];

const DAY = FIRST_DAY * 86_400;

/** Trips of one route, one per row: departure at the first stop, and delays of the events that were observed. */
interface Trip {
  readonly leaves: number;
  /** Departure at the first stop, then arrival and departure at each later one; NaN where not observed. */
  readonly delays: readonly number[];
}

/** Trips over stops 0, 1, 2 and 3, five minutes apart, with dwells of a minute. */
function makeTable(trips: readonly Trip[], isDepartureReported = true): DatedTripTable {
  const rows = trips.flatMap(({ leaves, delays }, datedTrip) =>
    [0, 1, 2, 3].map((call) => {
      const departure = DAY + leaves + 360 * call;
      const arrival = call === 0 ? departure : departure - 60;
      const arrivalDelay = call === 0 ? Number.NaN : (delays[2 * call - 1] ?? Number.NaN);
      return { datedTrip, call, arrival, departure, arrivalDelay, departureDelay: delays[2 * call] ?? Number.NaN };
    }),
  );
  const ints = (read: (row: (typeof rows)[number]) => number) => Int32Array.from(rows, read);
  const floats = (read: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, read);
  return buildDatedTripTable({
    datedTrip: ints(({ datedTrip }) => datedTrip),
    serviceDay: ints(() => FIRST_DAY),
    train: ints(({ datedTrip }) => datedTrip),
    route: ints(() => 0),
    operator: ints(() => 0),
    stop: ints(({ call }) => call),
    sequence: ints(({ call }) => call),
    scheduledArrival: floats(({ arrival }) => arrival),
    scheduledDeparture: floats(({ departure }) => departure),
    arrivalDelay: floats(({ arrivalDelay }) => arrivalDelay),
    departureDelay: floats(({ departureDelay }) => departureDelay),
    isDepartureReported: new Uint8Array(rows.length).fill(isDepartureReported ? 1 : 0),
    isInstant: new Uint8Array(rows.length).fill(1),
  });
}

/** A column of the arrival at a call, as of the departure of the last trip at its first stop. */
function readLast(table: DatedTripTable, name: TrafficColumn, call = 3): number {
  const pairs = choosePairs(table);
  const first = table.callStart[table.datedTripCount - 1]!;
  const pair = Array.from(pairs.from.keys()).find((one) => pairs.from[one] === first && pairs.to[one] === first + call);
  return buildFeatures(table, pairs).values[pair! * featureColumns.length + featureColumns.indexOf(name)]!;
}

const onTime = { leaves: 3600, delays: [0, 0, 0, 0, 0, 0] };

describe('a fading mean', () => {
  it('is the mean of its values, of which older ones count less', () => {
    const means = new FadingMeans(2);
    means.add(1, 60, 1000);
    expect(means.mean(1, 1000)).toBe(60);
    means.add(1, 120, 1000);
    expect(means.mean(1, 1000)).toBe(90);
    means.add(1, 240, 2800);
    expect(means.mean(1, 2800)).toBeCloseTo((180 / Math.E + 240) / (2 / Math.E + 1));
    expect(means.mean(0, 2800)).toBeNaN();
  });

  it('is unknown without a recent value, and begins again', () => {
    const means = new FadingMeans(1);
    means.add(0, 600, 0);
    expect(means.mean(0, 5400)).toBe(600);
    expect(means.mean(0, 5401)).toBeNaN();
    means.add(0, 60, 10_000);
    expect(means.mean(0, 10_000)).toBe(60);
  });

  it('does not depend on the order of its values', () => {
    const random = seededRandom(3);
    const values = Array.from({ length: 20 }, () => ({ value: random() * 600, at: Math.floor(random() * 3600) }));
    const ordered = new FadingMeans(1);
    for (const { value, at } of values.toSorted((a, b) => a.at - b.at)) ordered.add(0, value, at);
    const any = new FadingMeans(1);
    for (const { value, at } of values) any.add(0, value, at);
    expect(any.mean(0, 3600)).toBeCloseTo(ordered.mean(0, 3600), 6);
  });
});

describe('what was observed of other vehicles', () => {
  it('are the delays of the last arrivals at the stops ahead, and of the route', () => {
    const table = makeTable([{ leaves: 1800, delays: [0, 120, 120, 300, 300, 180] }, onTime]);
    expect(readLast(table, 'stop_delay_there', 1)).toBe(120);
    expect(readLast(table, 'stop_delay_there', 2)).toBe(300);
    expect(readLast(table, 'stop_delay_there', 3)).toBe(180);
    expect(readLast(table, 'highest_stop_delay', 1)).toBe(120);
    expect(readLast(table, 'highest_stop_delay', 3)).toBe(300);
    // Nobody arrives where trips begin.
    expect(readLast(table, 'stop_delay_here')).toBeNaN();
    expect(readLast(table, 'route_delay')).toBeGreaterThan(180);
    expect(readLast(table, 'route_delay')).toBeLessThan(220);
  });

  it('is the time that they lost on the legs ahead', () => {
    const table = makeTable([{ leaves: 1800, delays: [0, 120, 120, 100, 100, 400] }, onTime]);
    expect(readLast(table, 'time_lost_ahead', 1)).toBe(120);
    expect(readLast(table, 'time_lost_ahead', 2)).toBe(100);
    expect(readLast(table, 'time_lost_ahead', 3)).toBe(400);
    expect(readLast(table, 'most_time_lost_ahead', 3)).toBe(300);
  });

  it('is unknown without others', () => {
    const table = makeTable([onTime]);
    for (const name of trafficColumns) {
      if (name === 'overdue_ahead') expect(readLast(table, name)).toBe(0);
      else expect(readLast(table, name)).toBeNaN();
    }
  });

  it('is by how much the vehicle ahead is overdue', () => {
    // It left the second stop 1440 s before, and should have reached the third 1140 s before.
    const table = makeTable([{ leaves: 1800, delays: [0, 0, 0] }, onTime]);
    expect(readLast(table, 'overdue_ahead', 1)).toBe(0);
    expect(readLast(table, 'overdue_ahead', 2)).toBe(1140);
    expect(readLast(table, 'overdue_ahead', 3)).toBe(1140);
    // Its departure is assumed, not observed.
    expect(readLast(makeTable([{ leaves: 1800, delays: [0, 0, 0] }, onTime], false), 'overdue_ahead')).toBe(0);
  });

  it('does not count a vehicle as overdue of which a later event is known', () => {
    const table = makeTable([{ leaves: 1800, delays: [0, 0, 0, Number.NaN, 0] }, onTime]);
    // It is overdue on the leg after that.
    expect(readLast(table, 'overdue_ahead', 2)).toBe(0);
    expect(readLast(table, 'overdue_ahead', 3)).toBe(780);
  });

  it('counts the vehicle ahead of another one on the same leg', () => {
    const blocked = { leaves: 1800, delays: [0, 0, 0] };
    expect(readLast(makeTable([blocked, { leaves: 3000, delays: [0, 0, 0] }, onTime]), 'overdue_ahead')).toBe(1140);
  });

  it('does not count vehicles that were lost hours ago', () => {
    const late = { ...onTime, leaves: 3600 + 7200 };
    expect(readLast(makeTable([{ leaves: 1800, delays: [0, 0, 0] }, late]), 'overdue_ahead')).toBe(0);
  });

  it.each([1, 2, 3])('is nothing later than the instant, dataset %i', (seed) => {
    const table = makeDatedTripTable(seed, { days: 3, trains: 30, calls: 8, unknown: 0.1 });
    const pairs = choosePairs(table);
    const all = buildFeatures(table, pairs).values;
    const random = seededRandom(seed);
    const at = table.departureTime[pairs.from[Math.floor(random() * pairs.count)]!]!;
    const hide = (delays: Float64Array, times: Float64Array) =>
      delays.map((delay, call) => (times[call]! > at ? Number.NaN : delay));
    const cut: DatedTripTable = {
      ...table,
      arrivalDelay: hide(table.arrivalDelay, table.arrivalTime),
      departureDelay: hide(table.departureDelay, table.departureTime),
      arrivalTime: hide(table.arrivalTime, table.arrivalTime),
      departureTime: hide(table.departureTime, table.departureTime),
    };
    const known = buildFeatures(cut, pairs).values;
    const width = featureColumns.length;
    const first = featureColumns.indexOf(trafficColumns[0]);
    let compared = 0;
    for (let pair = 0; pair < pairs.count; pair++) {
      if (!(table.departureTime[pairs.from[pair]!]! <= at)) continue;
      compared++;
      const read = (values: Float32Array) => [...values.subarray(pair * width + first, (pair + 1) * width)];
      expect(read(known)).toEqual(read(all));
    }
    expect(compared).toBeGreaterThan(20);
  });
});
