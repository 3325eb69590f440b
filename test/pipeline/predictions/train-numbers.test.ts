import { describe, expect, it } from 'vitest';
import { buildDatedTripTable, type DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { buildPlanIndex } from '../../../pipeline/predictions/features/plan-index.ts';
import { numberTrains, TrainNumbers } from '../../../pipeline/predictions/features/train-numbers.ts';

interface Run {
  readonly day?: number;
  readonly route?: number;
  readonly stops?: readonly number[];
  readonly leaves?: number;
}

/** Trips of an invented schedule, with their departures. */
function tableOf(datedTrips: readonly Run[]): { table: DatedTripTable; departureOfDay: Int32Array } {
  const calls = datedTrips.flatMap(({ day = 0, route = 0, stops = [1, 2, 3], leaves = 28_800 }, datedTrip) =>
    stops.map((stop, at) => ({ datedTrip, day, route, stop, at, time: day * 86_400 + leaves + at * 300 })),
  );
  const ints = (read: (call: (typeof calls)[number]) => number) => Int32Array.from(calls, read);
  const floats = (read: (call: (typeof calls)[number]) => number) => Float64Array.from(calls, read);
  const table = buildDatedTripTable({
    datedTrip: ints(({ datedTrip }) => datedTrip),
    serviceDay: ints(({ day }) => day),
    train: ints(() => 0),
    route: ints(({ route }) => route),
    operator: ints(() => 0),
    stop: ints(({ stop }) => stop),
    sequence: ints(({ at }) => at),
    scheduledArrival: floats(({ time }) => time),
    scheduledDeparture: floats(({ time }) => time),
    arrivalDelay: floats(() => 0),
    departureDelay: floats(() => 0),
    isInstant: new Uint8Array(calls.length),
  });
  return { table, departureOfDay: Int32Array.from(datedTrips, ({ leaves = 28_800 }) => leaves) };
}

const trainsOf = (datedTrips: readonly Run[]) => {
  const { table, departureOfDay } = tableOf(datedTrips);
  return [...numberTrains(table, departureOfDay).train];
};

describe('a train', () => {
  it.each<[reason: string, other: Run, isSame: boolean]>([
    ['is the same on the next day', { day: 1 }, true],
    ['differs on another route', { day: 1, route: 1 }, false],
    ['differs with other stops', { day: 1, stops: [1, 3] }, false],
    ['differs with the same stops in the other direction', { day: 1, stops: [3, 2, 1] }, false],
    ['differs with a departure a minute later', { day: 1, leaves: 28_860 }, false],
    ['differs with a departure after midnight', { day: 1, leaves: 28_800 + 86_400 }, false],
    ['is the same if two of a day are entirely equal', {}, true],
  ])('%s', (_reason, other, isSame) => {
    const [first, second] = trainsOf([{}, other]);
    expect(first === second).toBe(isSame);
  });

  it('has a number below the count of trains, also if it departs before midnight', () => {
    const { table, departureOfDay } = tableOf([{ leaves: -3600 }, {}, { day: 1, leaves: -3600 }, { leaves: 100_000 }]);
    const { train, trainCount } = numberTrains(table, departureOfDay);
    expect([...train]).toEqual([0, 1, 0, 2]);
    expect(trainCount).toBe(3);
  });

  it('has the same number if trips are added one by one', () => {
    const datedTrips = [{}, { route: 1 }, { day: 1 }, { day: 1, leaves: 30_000 }, { day: 2, route: 1 }];
    const { table, departureOfDay } = tableOf(datedTrips);
    const { pattern } = buildPlanIndex(table);
    const numbers = new TrainNumbers();
    const added = datedTrips.map((_, datedTrip) => numbers.numberOf(pattern[datedTrip]!, departureOfDay[datedTrip]!));
    expect(added).toEqual([...numberTrains(table, departureOfDay).train]);
  });
});
