import { describe, expect, it } from 'vitest';
import { type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { rememberDays } from '../../../../pipeline/model/zone-days.ts';
import {
  buildDatedTripTable,
  type DatedTripTable,
  withDayStarts,
} from '../../../../pipeline/predictions/features/dated-trip-table.ts';
import { countPastDelays } from '../../../../pipeline/predictions/past-transfers/count-past-delays.ts';
import { lookUpPast } from '../../../../pipeline/predictions/past-transfers/learn-transfers.ts';
import { findPastDelay, hourOf, openPastDelays } from '../../../../pipeline/snapshots/transfer-model/past-delays.ts';
import {
  readTransferModel,
  writeTransferModel,
} from '../../../../pipeline/snapshots/transfer-model/transfer-model-bytes.ts';
import { FIRST_DAY, makeDatedTripTable } from '../../../support/worlds/run-world.ts';
import { makeTransferModel } from '../../../support/worlds/transfer-world.ts';

const table = makeDatedTripTable(3, { days: 40, trains: 6, calls: 5 });
const station = Int32Array.from({ length: table.stopCount }, (_, stop) => stop);
const LAST_DAY = FIRST_DAY + 29;
const past = countPastDelays(table, station, LAST_DAY);

/**
 * Trains of one line from stop 0 to stop 1, at 8:00, 9:00 and so on by the clock, and a last one of another line.
 * @param days the first and the last
 */
function makeHourlyTrains(
  [from, to]: readonly [number, number],
  startOf: (day: number) => number,
  delays: readonly number[],
): DatedTripTable {
  const trips = Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((day) =>
    [...delays, 0].map((delay, train) => ({ day, train, delay, departure: startOf(day) + (8 + train) * 3600 })),
  );
  const calls = trips.flatMap((trip, datedTrip) => [0, 1].map((stop) => ({ ...trip, datedTrip, stop })));
  const ints = (read: (call: (typeof calls)[number]) => number) => Int32Array.from(calls, read);
  const floats = (read: (call: (typeof calls)[number]) => number) => Float64Array.from(calls, read);
  const table = buildDatedTripTable({
    datedTrip: ints(({ datedTrip }) => datedTrip),
    serviceDay: ints(({ day }) => day),
    train: ints(({ train }) => train),
    route: ints(({ train }) => (train < delays.length ? 0 : 1)),
    operator: ints(() => 0),
    stop: ints(({ stop }) => stop),
    sequence: ints(({ stop }) => stop),
    scheduledArrival: floats(({ departure, stop }) => departure + 600 * stop),
    scheduledDeparture: floats(({ departure, stop }) => departure + 600 * stop),
    arrivalDelay: floats(({ delay }) => delay),
    departureDelay: floats(({ delay }) => delay),
    isInstant: new Uint8Array(calls.length),
  });
  return withDayStarts(table, (one) => startOf(table.serviceDay[one]!));
}

/** Arrivals of a line at a stop up to a day, counted independently. */
function listArrivals(route: number, stop: number, lastDay: number): number[] {
  const delays: number[] = [];
  for (let one = 0; one < table.datedTripCount; one++) {
    if (table.route[one] !== route || table.serviceDay[one]! > lastDay) continue;
    for (let call = table.callStart[one]! + 1; call < table.callStart[one + 1]!; call++) {
      if (table.stop[call] === stop && !Number.isNaN(table.arrivalDelay[call]!)) delays.push(table.arrivalDelay[call]!);
    }
  }
  return delays.sort((a, b) => a - b);
}

describe('delays of past days', () => {
  it('are the quantiles of the line at the station, up to the last day', () => {
    let compared = 0;
    for (let call = 0; call < table.callStart[6]!; call++) {
      const one = table.callStart.findIndex((start) => start > call) - 1;
      if (call === table.callStart[one]) continue;
      const [route, stop] = [table.route[one]!, table.stop[call]!];
      const delays = listArrivals(route, stop, LAST_DAY);
      // An hour at which the line never runs: the whole day counts.
      const found = findPastDelay(past, { route, stop, isDeparture: false, secondOfDay: 0 });
      if (delays.length < 20 || !found) continue;
      compared++;
      for (const [share, value] of [
        [0.1, found.low],
        [0.5, found.median],
        [0.9, found.high],
      ] as const) {
        expect(Math.abs(value - Math.max(-300, delays[Math.ceil(share * delays.length) - 1]!))).toBeLessThanOrEqual(15);
      }
    }
    expect(compared).toBeGreaterThan(3);
  });

  it('are those of the same minute of the day where it has five', () => {
    const minuteOf = (seconds: number) => Math.floor((seconds % 86_400) / 60);
    const ofMinute = new Map<string, number[]>();
    for (let one = 0; one < table.datedTripCount; one++) {
      if (table.serviceDay[one]! > LAST_DAY) continue;
      for (let call = table.callStart[one]! + 1; call < table.callStart[one + 1]!; call++) {
        if (Number.isNaN(table.arrivalDelay[call]!)) continue;
        const key = [table.route[one], table.stop[call], minuteOf(table.scheduledArrival[call]!)].join(' ');
        ofMinute.set(key, [...(ofMinute.get(key) ?? []), table.arrivalDelay[call]!]);
      }
    }
    const often = [...ofMinute].filter(([, delays]) => delays.length >= 5);
    expect(often.length).toBeGreaterThan(10);
    for (const [key, delays] of often) {
      const [route, stop, minute] = key.split(' ').map(Number) as [number, number, number];
      const found = findPastDelay(past, { route, stop, isDeparture: false, secondOfDay: 60 * minute })!;
      const median = delays.sort((a, b) => a - b)[Math.ceil(delays.length / 2) - 1]!;
      expect(Math.abs(found.median - Math.max(-300, median))).toBeLessThanOrEqual(15);
    }
  });

  it('are those of the same train after a change of clocks', () => {
    const days = rememberDays('Europe/Vienna');
    const change = toEpochDay('2025-10-26' as ServiceDate);
    // Trains leave at 8:00 and 9:00 by the clock: the first is always late, the second never.
    const hourly = makeHourlyTrains([change - 20, change + 20], (day) => days.startOf(day), [300, 0]);
    const before = countPastDelays(hourly, Int32Array.of(0, 1), change - 1);
    const find = lookUpPast(hourly, (event) => findPastDelay(before, event));
    const after = hourly.serviceDay.findIndex((day) => day > change);
    const medians = [after, after + 1].map((one: number) => find(hourly.callStart[one]! + 1, false)!.median);
    expect(medians).toEqual([300, 0]);
  });

  it('are those of the line at a stop without, and null for an unknown line', () => {
    const event = { route: table.route[0]!, stop: 99_999, isDeparture: false, secondOfDay: 3 * 3600 };
    expect(findPastDelay(past, event)).not.toBeNull();
    expect(findPastDelay(past, { ...event, route: 9999 })).toBeNull();
  });

  it('round-trip, and are found by name', () => {
    const routes = Array.from({ length: table.routeCount }, (_, route) => `r${route}`);
    const stops = Array.from({ length: table.stopCount }, (_, stop) => `s${stop}`);
    const model = { ...makeTransferModel(), past: { delays: past, routes, stops } };
    const bytes = writeTransferModel(model);
    const read = readTransferModel(bytes)!;
    expect(read.past).toEqual(model.past);
    expect(read.forest).toEqual(model.forest);
    const find = openPastDelays(read.past);
    const event = { isDeparture: true, secondOfDay: 8 * 3600 };
    const [route, stop] = [table.route[0]!, table.stop[0]!];
    expect(find({ route: `r${route}`, stop: `s${stop}`, ...event })).toEqual(
      findPastDelay(past, { route, stop, ...event }),
    );
    expect(find({ route: 'unknown', stop: 's0', ...event })).toBeNull();
    expect(() => readTransferModel(bytes.subarray(0, bytes.length - 1))).toThrow();
  });

  it.each([
    [0, 0],
    [86_399, 23],
    [86_400 + 3600, 1],
    [-1, 23],
  ])('belong to an hour: second %i to %i', (seconds, hour) => {
    expect(hourOf(seconds)).toBe(hour);
  });
});
