import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Instant, ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { buildNetwork } from '../../../../pipeline/sample/simulator/network.ts';
import { planServiceDay } from '../../../../pipeline/sample/simulator/service-day.ts';
import type { SimulatedState, SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { at, collectTrips, listInstants, runKey } from './day-sweep.ts';

const lookups = await readSampleLookups();
const simulator = createSimulator(lookups);
// A Thursday with its late evening and the night after it.
const [dayFirst, dayLast] = ['2026-11-19T04:00:00+01:00', '2026-11-20T07:00:00+01:00'];
const anyInstant = fc.integer({ min: at(dayFirst), max: at(dayLast) }).map((seconds) => seconds as Instant);
// Ended trips are reported for 15 minutes: with this step none is missed, and the last state is final.
const day = collectTrips(simulator, '2026-11-19', [dayFirst, dayLast], 870);
const rail = ['train', 'regionalTrain', 'sBahn'];

const tripsByKey = (state: SimulatedState) => new Map(state.trips.map((trip) => [runKey(trip), trip]));
const share = (isCounted: (trip: SimulatedTrip) => boolean, trips: Iterable<SimulatedTrip> = day.values()) => {
  const list = [...trips];
  return list.filter(isCounted).length / list.length;
};

describe('a state', () => {
  it('does not depend on earlier calls, nor on a restart', () => {
    const known = simulator.stateAt(at('2026-11-19T17:20:00+01:00'));
    const restarted = createSimulator(lookups);
    restarted.stateAt(at('2026-12-24T12:00:00+01:00'));
    restarted.stateAt(at('2026-11-19T17:21:00+01:00'));
    expect(restarted.stateAt(known.now)).toEqual(known);
  });

  it('is equal when its day is evicted from the cache and replanned', () => {
    const known = simulator.stateAt(at('2026-11-19T08:00:00+01:00'));
    for (const month of ['01', '02', '03', '04']) simulator.stateAt(at(`2027-${month}-15T12:00:00+01:00`));
    expect(simulator.stateAt(known.now)).toEqual(known);
  });

  it('differs with another seed', () => {
    const now = at('2026-11-19T17:20:00+01:00');
    expect(createSimulator(lookups, { seed: 2 }).stateAt(now)).not.toEqual(simulator.stateAt(now));
  });

  it('contains a trip once, from two hours before to 15 minutes after', () => {
    for (const now of listInstants(dayFirst, dayLast, 6 * 3600)) {
      const { trips } = simulator.stateAt(now);
      expect(new Set(trips.map(runKey)).size).toBe(trips.length);
      const isFar = ({ calls }: SimulatedTrip) =>
        calls[0]!.scheduledDeparture > now + 7200 || calls.at(-1)!.arrival < now - 900;
      expect(trips.filter((trip) => trip.state !== 'cancelled' && isFar(trip))).toEqual([]);
    }
  });
});

/** The observed part of all reports at an instant. */
function facts({ calls }: SimulatedTrip, by: Instant): unknown[] {
  return calls
    .filter(({ arrival }) => arrival <= by)
    .map(({ arrival, departure, platform, assignedStopId, isSkipped }) => [
      arrival,
      departure <= by ? departure : null,
      platform,
      assignedStopId,
      isSkipped,
    ]);
}

describe('times', () => {
  it('never decrease along a trip', () => {
    fc.assert(
      fc.property(anyInstant, (now) => {
        for (const trip of simulator.stateAt(now).trips) {
          let before = 0;
          for (const { arrival, departure } of trip.calls) {
            if (arrival < before || departure < arrival) throw new Error(`${runKey(trip)} falls at ${now}`);
            before = departure;
          }
        }
      }),
      { numRuns: 12 },
    );
  });

  it('of past events are final, as are platforms and skipped calls', () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 1, max: 3600 }), (now, later) => {
        const after = tripsByKey(simulator.stateAt((now + later) as Instant));
        const changed = simulator.stateAt(now).trips.filter((trip) => {
          const known = after.get(runKey(trip));
          return known && trip.state !== 'cancelled' && !isDeepStrictEqual(facts(trip, now), facts(known, now));
        });
        expect(changed).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  it('have no departure more than half a minute early, and none of trains', () => {
    const tooEarly = [...day.values()].filter(({ product, calls }) => {
      const earlySeconds = rail.includes(product) ? 0 : 30;
      return calls.slice(0, -1).some((call) => call.departure < call.scheduledDeparture - earlySeconds);
    });
    expect(tooEarly).toEqual([]);
  });

  it('let no vehicle of a line overtake the previous one after the first call', () => {
    const lastSeen = new Map<string, SimulatedTrip>();
    const running = [...day.values()].filter(({ state }) => state !== 'cancelled');
    running.sort((a, b) => a.startTime - b.startTime);
    for (const trip of running) {
      const direction = `${trip.routeId} ${trip.directionId}`;
      const ahead = lastSeen.get(direction);
      const isBehind = trip.calls.every((call, i) => i === 0 || !ahead || call.arrival > ahead.calls[i]!.departure);
      // After three hours of delay a run no longer waits for anything.
      if (trip.calls.at(-1)!.arrival - trip.calls.at(-1)!.scheduledArrival < 3 * 3600) expect(isBehind).toBe(true);
      lastSeen.set(direction, trip);
    }
  });
});

describe('forecasts', () => {
  const minutesAhead = [30, 15, 5, 1];

  /** Mean errors of arrivals that lie so many minutes ahead, in seconds. */
  function meanErrors(): number[] {
    const errors = minutesAhead.map((): number[] => []);
    for (const now of listInstants('2026-11-19T07:00:00+01:00', '2026-11-19T19:00:00+01:00', 2000)) {
      for (const trip of simulator.stateAt(now).trips) {
        const actual = day.get(runKey(trip));
        if (!actual || trip.state === 'cancelled' || trip.calls[0]!.departure > now) continue;
        trip.calls.forEach((call, i) => {
          const happens = actual.calls[i]!.arrival;
          const reach = minutesAhead.findIndex((minutes) => Math.abs(happens - now - minutes * 60) < 30);
          errors[reach]?.push(Math.abs(call.arrival - happens));
        });
      }
    }
    return errors.map((list) => list.reduce((sum, error) => sum + error, 0) / list.length);
  }

  it('are less accurate further ahead', () => {
    const errors = meanErrors();
    expect(errors[0]).toBeGreaterThan(30);
    expect(errors.toSorted((a, b) => b - a)).toEqual(errors);
    expect(errors.at(-1)).toBeLessThan(15);
  });

  it('never lie in the past', () => {
    const now = at('2026-11-19T17:00:00+01:00');
    for (const trip of simulator.stateAt(now).trips) {
      const actual = day.get(runKey(trip));
      if (!actual || trip.state === 'cancelled') continue;
      const isTrue = trip.calls.every((call, i) => call.arrival <= now === actual.calls[i]!.arrival <= now);
      expect(isTrue, runKey(trip)).toBe(true);
    }
  });
});

describe('over a working day', () => {
  const delays = (product: string, from = 0, to = 30) =>
    [...day.values()]
      .filter((trip) => trip.product === product && trip.startTime >= from * 3600 && trip.startTime < to * 3600)
      .flatMap(({ calls }) => calls.slice(1).map((call) => call.arrival - call.scheduledArrival));
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const lateShare = (list: readonly number[]) => list.filter((delay) => delay >= 330).length / list.length;

  it.each<[string, (trip: SimulatedTrip) => boolean, number, number]>([
    ['are cancelled', ({ state }) => state === 'cancelled', 0.005, 0.01],
    ['are added', ({ state }) => state === 'added', 0.001, 0.008],
    ['lose their data', ({ isDataLost }) => isDataLost, 0.01, 0.06],
    ['skip a call', ({ calls }) => calls.some(({ isSkipped }) => isSkipped), 0.003, 0.03],
    [
      'that serve rails change a platform',
      ({ calls }) => calls.some((call) => call.assignedStopId !== null),
      0.005,
      0.05,
    ],
  ])('has a small share of trips that %s', (_, isCounted, least, most) => {
    expect(share(isCounted)).toBeGreaterThan(least);
    expect(share(isCounted)).toBeLessThan(most);
  });

  it('keeps trips cancelled until the end of the day', () => {
    const now = at('2026-11-19T12:00:00+01:00');
    const cancelled = simulator.stateAt(now).trips.filter(({ state }) => state === 'cancelled');
    const evening = tripsByKey(simulator.stateAt(at('2026-11-19T23:59:00+01:00')));
    expect(cancelled.length).toBeGreaterThan(5);
    for (const trip of cancelled) expect(evening.get(runKey(trip))?.state).toBe('cancelled');
  });

  it('has a more punctual metro than trams, and trams than long-distance trains', () => {
    const late = ['subway', 'tram', 'train'].map((product) => lateShare(delays(product)));
    expect(late.toSorted((a, b) => a - b)).toEqual(late);
    expect(late[0]).toBeLessThan(0.02);
    expect(late[2]).toBeGreaterThan(0.08);
    expect(late[2]).toBeLessThan(0.4);
  });

  it('has more delays in the rush hour than late in the evening', () => {
    expect(mean(delays('tram', 16, 18))).toBeGreaterThan(mean(delays('tram', 21, 24)) + 10);
  });

  it('accumulates delays along trips, and recovers at long dwells', () => {
    const nightTrains = [...day.values()].filter(({ routeId }) => routeId === 'nj-west');
    for (const { calls } of nightTrains) {
      calls.slice(1, -1).forEach((call) => {
        const lateBefore = call.arrival - call.scheduledArrival;
        const lateAfter = call.departure - call.scheduledDeparture;
        expect(lateAfter).toBeLessThanOrEqual(Math.max(0, lateBefore));
      });
    }
    expect(nightTrains.length).toBe(2);
  });

  it('has no data of a line with an outage for half an hour', () => {
    const { start, outages } = planServiceDay(buildNetwork(lookups, 1), '2026-11-19' as ServiceDate, 1);
    expect(outages.length).toBe(2);
    for (const { lineId, fromSeconds, toSeconds } of outages) {
      expect(toSeconds - fromSeconds).toBe(1800);
      const isReported = (seconds: number) =>
        simulator
          .stateAt((start + seconds) as Instant)
          .trips.some(({ routeId, isDataLost }) => routeId === lineId && !isDataLost);
      expect([fromSeconds - 1, fromSeconds, toSeconds - 1, toSeconds].map(isReported)).toEqual([
        true,
        false,
        false,
        true,
      ]);
    }
  });
});
