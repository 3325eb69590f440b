import { expect, test } from 'vitest';
import type { Instant, ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { type BrokenTrip, breakDownOnly } from '../../../../pipeline/sample/simulator/breakdowns.ts';
import { createSimulator, type Simulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { readSmallCountry } from '../../../support/worlds/small-country.ts';

const DATE = '2026-03-03' as ServiceDate;
const lookups = await readSmallCountry();
const isRex = ({ id }: { readonly id: string }) => id === 'rex-westbahn';
const listTrips = (simulator: Simulator) => simulator.pastDay(DATE, isRex).trips;

const calm = createSimulator(lookups);
/** A train in the morning, which stands still for half an hour on the way to its fourth call. */
const train = listTrips(calm).find(
  ({ directionId, startTime, state }) => directionId === 0 && startTime > 8 * 3600 && state === 'scheduled',
)!;
const breakdown: BrokenTrip = {
  tripId: train.tripId,
  date: DATE,
  startSeconds: train.startTime,
  call: 3,
  seconds: 1800,
};
const broken = createSimulator(lookups, { findBreakdown: breakDownOnly(breakdown) });

const arrivals = ({ calls }: SimulatedTrip) => calls.map(({ arrival }) => arrival);

test('delays a broken-down train from there on, with little recovery', () => {
  const after = listTrips(broken).find(({ tripId }) => tripId === train.tripId)!;
  expect(arrivals(after).slice(0, 3)).toEqual(arrivals(train).slice(0, 3));
  // A second is lost by rounding.
  expect(Math.abs(after.calls[3]!.arrival - train.calls[3]!.arrival - 1800)).toBeLessThanOrEqual(1);
  for (const [i, call] of after.calls.entries()) {
    if (i > 3) expect(call.arrival - train.calls[i]!.arrival).toBeGreaterThan(1200);
  }
});

test('affects no other train unless it is behind', () => {
  const others = (simulator: Simulator) =>
    listTrips(simulator).filter(
      ({ directionId, startTime }) => directionId !== train.directionId || startTime < train.startTime,
    );
  expect(others(broken)).toEqual(others(calm));
});

test('is reported', () => {
  const standing = (train.calls[3]!.arrival + 900) as Instant;
  const find = (simulator: Simulator) =>
    simulator.stateAt(standing).trips.find(({ tripId }) => tripId === train.tripId)!;
  expect(find(broken).calls[3]!.arrival).toBeGreaterThan(standing);
  expect(find(calm).calls[3]!.arrival).toBeLessThanOrEqual(standing);
});

test('varies the operation of one timetable by seed', () => {
  const plan = (simulator: Simulator) =>
    listTrips(simulator)
      .filter(({ state }) => state !== 'added')
      .map(({ tripId, startTime, calls }) => [tripId, startTime, calls.map((call) => call.scheduledArrival)]);
  const other = createSimulator(lookups, { seed: 2, timetableSeed: 1 });
  expect(plan(other)).toEqual(plan(calm));
  expect(listTrips(other).map(arrivals)).not.toEqual(listTrips(calm).map(arrivals));
  expect(plan(createSimulator(lookups, { seed: 2 }))).not.toEqual(plan(calm));
});
