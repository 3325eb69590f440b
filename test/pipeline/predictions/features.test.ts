import { describe, expect, it } from 'vitest';
import { buildFeatures, choosePairs, pickPairs } from '../../../pipeline/predictions/features/build-features.ts';
import {
  type DatedTripTable,
  findGrid,
  instants,
  splitMinutes,
  withDayStarts,
} from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { RecentValues } from '../../../pipeline/predictions/features/recent-values.ts';
import { sweep } from '../../../pipeline/predictions/features/sweep.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';
import { FIRST_DAY, makeDatedTripTable, withDelays } from '../../support/worlds/run-world.ts';

/** Delay changes of the same train on earlier days, by searching every trip: newest first, up to the limit. */
function recountChanges(table: DatedTripTable, datedTrip: number, from: number, to: number): number[] {
  const at = table.departureTime[from]!;
  const planned = table.scheduledArrival[to]! - table.scheduledDeparture[from]!;
  const calls = (past: number) => {
    const start = table.callStart[past]!;
    return Array.from({ length: table.callStart[past + 1]! - start }, (_, place) => start + place);
  };
  const endOf = (past: number) => {
    let known = Number.NEGATIVE_INFINITY;
    for (const call of calls(past)) {
      for (const [instant, later] of [
        [table.arrivalTime[call]!, 1],
        [table.departureTime[call]!, 0],
      ] as const) {
        if (!Number.isNaN(instant)) known = Math.max(instant, known + later);
      }
    }
    return known;
  };
  const datedTrips = Array.from({ length: table.datedTripCount }, (_, past) => past)
    .filter(
      (past) => table.train[past] === table.train[datedTrip] && table.serviceDay[past]! < table.serviceDay[datedTrip]!,
    )
    .filter((past) => endOf(past) <= at);
  return datedTrips
    .toSorted((a, b) => endOf(b) - endOf(a))
    .flatMap((past) => {
      const there = (call: number) => calls(past).find((one) => table.stop[one] === table.stop[call]);
      const [a, b] = [there(from), there(to)];
      if (a === undefined || b === undefined || b <= a) return [];
      const change = table.arrivalDelay[b]! - table.departureDelay[a]!;
      const isSamePlan = table.scheduledArrival[b]! - table.scheduledDeparture[a]! === planned;
      return Number.isNaN(change) || !isSamePlan ? [] : [change];
    });
}

const read = (features: { values: Float32Array }, pair: number, name: string) =>
  features.values[pair * featureColumns.length + featureColumns.indexOf(name)]!;

describe('features', () => {
  it.each([11, 12, 13])('of the same train are those of its earlier days, dataset %i', (seed) => {
    const table = makeDatedTripTable(seed, { days: 9, trains: 5, calls: 8, unknown: 0.05 });
    const pairs = choosePairs(table);
    const features = buildFeatures(table, pairs);
    let counted = 0;
    for (let pair = 0; pair < pairs.count; pair++) {
      if (Number.isNaN(table.departureTime[pairs.from[pair]!])) continue;
      const changes = recountChanges(table, pairs.datedTrip[pair]!, pairs.from[pair]!, pairs.to[pair]!);
      expect(read(features, pair, 'train_runs')).toBe(changes.length);
      if (changes.length === 0) continue;
      counted++;
      expect(read(features, pair, 'train_change_newest')).toBe(changes[0]);
      const sorted = changes.toSorted((a, b) => a - b);
      expect(read(features, pair, 'train_change_median')).toBe(sorted[Math.floor(0.5 * (sorted.length - 1) + 0.5)]);
      expect(read(features, pair, 'current_delay')).toBe(table.departureDelay[pairs.from[pair]!]);
    }
    expect(counted).toBeGreaterThan(100);
  });

  it('are the same when built again, and for a subset of the pairs', () => {
    const table = makeDatedTripTable(14, { days: 5, trains: 6, calls: 8 });
    const pairs = choosePairs(table);
    expect(buildFeatures(table, pairs)).toEqual(buildFeatures(table, pairs));
  });

  it('of an arrival do not depend on other pairs at its instant', () => {
    const table = makeDatedTripTable(5, { days: 8, trains: 5, calls: 9 });
    const pairs = choosePairs(table);
    const all = buildFeatures(table, pairs);
    const last = Int32Array.from(pairs.from.keys()).filter((pair) => pairs.from[pair] !== pairs.from[pair + 1]);
    const alone = buildFeatures(table, pickPairs(pairs, last));
    const width = featureColumns.length;
    expect(last.length).toBeGreaterThan(50);
    last.forEach((pair, row) => {
      const fields = (values: Float32Array, at: number) => [...values.subarray(at * width, (at + 1) * width)];
      expect(fields(alone.values, row)).toEqual(fields(all.values, pair));
      expect(alone.offsets[row]).toBe(all.offsets[pair]);
    });
  });

  it('use fewer days if so configured', () => {
    const table = makeDatedTripTable(15, { days: 6, trains: 4, calls: 6 });
    const pairs = choosePairs(table);
    const features = buildFeatures(table, pairs, () => 1);
    for (let pair = 0; pair < pairs.count; pair++) expect(read(features, pair, 'train_runs')).toBeLessThanOrEqual(1);
  });
});

describe('features across a change of clocks', () => {
  const change = FIRST_DAY + 5;
  const table = makeDatedTripTable(15, { days: 10, trains: 5, calls: 8 });
  const isLater = (call: number) =>
    table.serviceDay[table.callStart.findLastIndex((start) => start <= call)]! >= change;
  /** In UTC the trains of the later days leave an hour earlier; by the clock they do not. */
  const moved = (times: Float64Array) => times.map((time, call) => (isLater(call) ? time - 3600 : time));
  const summer: DatedTripTable = withDayStarts(
    {
      ...table,
      scheduledArrival: moved(table.scheduledArrival),
      scheduledDeparture: moved(table.scheduledDeparture),
      arrivalTime: moved(table.arrivalTime),
      departureTime: moved(table.departureTime),
    },
    (one) => table.dayStart[one]! - (table.serviceDay[one]! >= change ? 3600 : 0),
  );

  it('are those without a change', () => {
    const pairs = choosePairs(table);
    expect(buildFeatures(summer, pairs).values).toEqual(buildFeatures(table, pairs).values);
  });
});

describe('the seconds hidden by a source of whole minutes', () => {
  /** Of the internal schedule behind the published one, which differs on every second day. */
  const hidden = (table: DatedTripTable, call: number, datedTrip: number, isDeparture: boolean) =>
    (table.stop[call]! * 7 + (table.serviceDay[datedTrip]! % 2) * 23 + (isDeparture ? 11 : 0)) % 60;

  it('are found while a vehicle stands, by its arrival', () => {
    const plain = makeDatedTripTable(19, { days: 10, trains: 3, calls: 8 });
    const reported = (delays: Float64Array, isDeparture: boolean) =>
      delays.map((delay, call) => {
        const datedTrip = plain.callStart.findLastIndex((start, at) => at < plain.datedTripCount && start <= call);
        return 60 * Math.floor(delay / 60) + hidden(plain, call, datedTrip, isDeparture);
      });
    const isInstant = plain.isInstant.map(() => instants.departure | instants.standing);
    const raw = withDelays(plain, reported(plain.arrivalDelay, false), reported(plain.departureDelay, true));
    const table = splitMinutes({ ...raw, isInstant });
    const pairs = choosePairs(table);
    const { offsets } = buildFeatures(table, pairs);
    const [requested, right] = [
      [0, 0],
      [0, 0],
    ];
    for (let pair = 0; pair < pairs.count; pair++) {
      // By then every train has run on days of both kinds.
      if (table.serviceDay[pairs.datedTrip[pair]!]! < FIRST_DAY + 6) continue;
      const kind = pairs.isStanding[pair]!;
      requested[kind]!++;
      if (offsets[pair] === table.arrivalOffset[pairs.to[pair]!]) right[kind]!++;
    }
    expect(Math.min(...requested)).toBeGreaterThan(50);
    expect(right.map((count, kind) => count / requested[kind]! > 0.95)).toEqual([true, true]);
  });
});

describe('the sweep', () => {
  it('lists events by time, those of a trip in its order, and instants last', () => {
    const table = makeDatedTripTable(16, { days: 3, trains: 5, calls: 7, unknown: 0.1, odd: 0.2 });
    let last = Number.NEGATIVE_INFINITY;
    const reported = new Set<number>();
    const ended = new Set<number>();
    sweep(
      table,
      { departure: (call) => table.isInstant[call] === 1 },
      {
        onArrival: (call, datedTrip, at) => {
          expect(at).toBeGreaterThanOrEqual(Math.max(last, table.arrivalTime[call]!));
          expect(ended.has(datedTrip)).toBe(false);
          reported.add(call);
          last = at;
        },
        onDeparture: (call, _, at) => {
          expect(at).toBeGreaterThanOrEqual(Math.max(last, table.departureTime[call]!));
          last = at;
        },
        onInstant: (call, datedTrip, at) => {
          expect(at).toBe(table.departureTime[call]);
          expect(at).toBeGreaterThanOrEqual(last);
          for (let later = call + 1; later < table.callStart[datedTrip + 1]!; later++)
            expect(reported.has(later)).toBe(false);
          last = at;
        },
        onTripEnd: (datedTrip) => ended.add(datedTrip),
      },
    );
    expect(ended.size).toBe(table.datedTripCount);
  });
});

describe('recent values', () => {
  it('are those of a truncated list', () => {
    const random = seededRandom(3);
    const values = new RecentValues(3, 5);
    const lists: number[][] = [[], [], []];
    for (let i = 0; i < 400; i++) {
      const series = Math.floor(random() * 3);
      const value = Math.floor(random() * 8) - 4;
      values.add(series, value);
      lists[series] = [...lists[series]!, value].slice(-5);
      const sorted = lists[series].toSorted((a, b) => a - b);
      expect(values.count(series)).toBe(sorted.length);
      for (const share of [0, 0.1, 0.5, 1]) {
        expect(values.quantile(series, share)).toBe(sorted[Math.floor(share * (sorted.length - 1) + 0.5)]);
      }
      const times = (one: number) => sorted.filter((other) => other === one).length;
      const most = Math.max(...sorted.map(times));
      expect(values.mostOften(series)).toBe(sorted.find((one) => times(one) === most));
    }
    expect(new RecentValues(1, 3).quantile(0, 0.5)).toBeNaN();
    expect(new RecentValues(1, 3).mostOften(0)).toBeNaN();
  });
});

describe('the grid of a source', () => {
  const table = makeDatedTripTable(17, { days: 6, trains: 5, calls: 6 });
  const withSeconds = (second: (call: number) => number) => {
    const reported = (delays: Float64Array) => delays.map((delay, call) => Math.floor(delay / 60) * 60 + second(call));
    return withDelays(table, reported(table.arrivalDelay), reported(table.departureDelay));
  };

  it('is a minute where seconds repeat, otherwise a second', () => {
    expect(
      findGrid(
        withSeconds(() => 0),
        FIRST_DAY + 5,
      ),
    ).toBe(60);
    expect(
      findGrid(
        withSeconds((call) => (table.stop[call]! * 7) % 60),
        FIRST_DAY + 5,
      ),
    ).toBe(60);
    expect(
      findGrid(
        withSeconds((call) => (call * 17) % 60),
        FIRST_DAY + 5,
      ),
    ).toBe(1);
    expect(
      findGrid(
        withSeconds(() => 0),
        FIRST_DAY,
      ),
    ).toBe(1);
  });
});
