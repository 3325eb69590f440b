import { describe, expect, it } from 'vitest';
import { addDays, type ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedCall, SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { listInstants } from './day-sweep.ts';

/** The limits of the history as they are set by default. */
const EARLY_SECONDS = -60;
const ON_TIME_SECONDS = 330;
const LATE_SECONDS = 600;
/** With fewer events a share has little meaning. */
const FEW_CALLS = 100;
const MOST_EARLY_SHARE = 0.05;
/** A median further from the schedule is not random, but a bias of the simulator. */
const MOST_MEDIAN_SECONDS = 60;

const simulator = createSimulator(await readSampleLookups());

type Delays = Map<string, number[]>;

function note(delays: Delays, name: string, delay: number): void {
  const known = delays.get(name);
  if (known) known.push(delay);
  else delays.set(name, [delay]);
}

function noteTrip(delays: { readonly lines: Delays; readonly products: Delays }, trip: SimulatedTrip, delay: number) {
  note(delays.lines, trip.routeId, delay);
  note(delays.products, trip.product, delay);
}

const shareOf = (list: readonly number[], isCounted: (delay: number) => boolean) =>
  list.filter(isCounted).length / list.length;
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;

/** Lines that are early more often than any line should be, or whose median call is not on the minute. */
function listImplausible(lines: Delays): string[] {
  return [...lines]
    .filter(([, list]) => list.length >= FEW_CALLS)
    .filter(
      ([, list]) =>
        shareOf(list, (delay) => delay <= EARLY_SECONDS) > MOST_EARLY_SHARE ||
        Math.abs(median(list)) > MOST_MEDIAN_SECONDS,
    )
    .map(([line, list]) => `${line}: ${(100 * shareOf(list, (d) => d <= EARLY_SECONDS)).toFixed(1)} % early`);
}

describe('four weeks of the past', () => {
  const lines: Delays = new Map();
  const products: Delays = new Map();
  for (let day = 0; day < 28; day++) {
    const date = addDays('2026-10-26' as ServiceDate, day);
    for (const trip of simulator.pastDay(date, () => true).trips) {
      if (trip.state === 'cancelled') continue;
      // Counted by event: the arrival, at the first stop the departure.
      trip.calls.forEach((call, i) => {
        if (call.isSkipped || !trip.isCallReported[i]) return;
        noteTrip({ lines, products }, trip, i === 0 ? lateAtDeparture(call) : lateAtArrival(call));
      });
    }
  }

  it('have no line that is early, or whose median is a minute from the plan', () => {
    expect(lines.size).toBeGreaterThan(70);
    expect(listImplausible(lines)).toEqual([]);
  });

  it('have the underground no more often early than late', () => {
    for (const line of ['u1', 'u2', 'u3', 'u4', 'u6']) {
      const list = lines.get(`wien-${line}`)!;
      expect([line, shareOf(list, (delay) => delay < 0) < 0.5]).toEqual([line, true]);
    }
  });

  it('have early arrivals', () => {
    expect(shareOf(products.get('train')!, (delay) => delay <= EARLY_SECONDS)).toBeGreaterThan(0.002);
  });

  // Around the published shares that `profile.ts` names.
  it.each([
    ['subway', 0.985, 0.999],
    ['sBahn', 0.955, 0.98],
    ['regionalTrain', 0.93, 0.97],
    ['train', 0.76, 0.9],
    ['tram', 0.94, 0.98],
    ['cityBus', 0.94, 0.98],
    ['nightBus', 0.96, 0.999],
    ['ship', 0.75, 0.97],
  ])('have a plausible share of punctual %s', (product, least, most) => {
    const share = shareOf(products.get(product)!, (delay) => delay < ON_TIME_SECONDS);
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(most);
  });

  it.each([
    ['tram', 0.8, 0.92],
    ['cityBus', 0.8, 0.92],
  ])('have a plausible share of %s within 90 s', (product, least, most) => {
    const share = shareOf(products.get(product)!, (delay) => delay < 90);
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(most);
  });

  it.each([
    ['subway', 0, 0.005],
    ['sBahn', 0.005, 0.03],
    ['regionalTrain', 0.01, 0.04],
    ['train', 0.04, 0.14],
    ['tram', 0.005, 0.03],
    ['cityBus', 0.005, 0.03],
  ])('have a plausible share of very late %s', (product, least, most) => {
    const share = shareOf(products.get(product)!, (delay) => delay >= LATE_SECONDS);
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(most);
  });
});

describe('a simulated state', () => {
  const arrivals: Delays = new Map();
  const departures: Delays = new Map();
  const products: Delays = new Map();
  for (const date of ['2026-11-18', '2026-11-22']) {
    for (const now of listInstants(`${date}T05:10:00+01:00`, `${date}T23:50:00+01:00`, 4000)) {
      for (const trip of simulator.stateAt(now).trips) {
        if (trip.state === 'cancelled' || trip.isDataLost) continue;
        trip.calls.forEach((call, i) => {
          if (call.isSkipped) return;
          if (i > 0) noteTrip({ lines: arrivals, products }, trip, lateAtArrival(call));
          if (i < trip.calls.length - 1) noteTrip({ lines: departures, products }, trip, lateAtDeparture(call));
        });
      }
    }
  }

  it.each([
    ['arrivals', arrivals],
    ['departures', departures],
  ])('has no line with early %s', (_what, lines) => {
    expect(lines.size).toBeGreaterThan(70);
    expect(listImplausible(lines)).toEqual([]);
  });

  it.each(['subway', 'sBahn', 'regionalTrain', 'train', 'tram', 'cityBus'])('has late %s at times', (product) => {
    const late = shareOf(products.get(product)!, (delay) => delay >= ON_TIME_SECONDS);
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(0.2);
  });
});

function lateAtArrival({ arrival, scheduledArrival }: SimulatedCall): number {
  return arrival - scheduledArrival;
}

function lateAtDeparture({ departure, scheduledDeparture }: SimulatedCall): number {
  return departure - scheduledDeparture;
}
