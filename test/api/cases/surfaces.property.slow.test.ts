import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Journey } from '../../../api/contract/definitions.ts';
import { lineFeed, openSurfaces, report, type Surfaces } from './case-line.ts';

const STOPS = ['A', 'B', 'C', 'D', 'E'] as const;
const NOW = '12:00';

const feed = lineFeed([
  'one 1: A 11:50, B 11:58, C 12:06, D 12:14, E 12:22',
  'two 2: A 12:02, B 12:10, C 12:18, D 12:26, E 12:34',
  'three 3: A 12:20, C 12:36, E 12:52',
]);

const delay = fc.option(
  fc.integer({ min: -15, max: 40 }).map((minutes) => minutes * 60),
  { nil: null },
);
const call = fc.option(fc.oneof({ weight: 6, arbitrary: fc.tuple(delay, delay) }, fc.constant('skipped' as const)), {
  nil: null,
  freq: 3,
});
const reported = fc.record({
  trips: fc.record({
    one: fc.array(call, { minLength: 5, maxLength: 5 }),
    two: fc.array(call, { minLength: 5, maxLength: 5 }),
  }),
  /** Some forecasts have expired by then. */
  at: fc.constantFrom('11:52', '11:58', '12:00'),
  isPropagating: fc.boolean(),
});

/** `12:10`, with `~` for realtime, `x` if cancelled. */
function shown(time: { scheduled?: string; realtime?: string } | undefined, isCancelled: boolean): string {
  if (isCancelled || time === undefined) return 'x';
  return `${(time.realtime ?? time.scheduled)!.slice(11, 16)}${time.realtime ? '~' : ''}`;
}

function clock(text: string): number {
  const [hours = 0, minutes = 0] = text.slice(0, 5).split(':').map(Number);
  return hours * 60 + minutes;
}

/** Expects that every departure and arrival on the boards has the times of its journey. */
async function checkBoards(surfaces: Surfaces, journeys: Map<string, Journey>): Promise<void> {
  for (const [k, stop] of STOPS.entries()) {
    for (const one of await surfaces.departures(stop)) {
      const journey = journeys.get(one.journeyRef!) ?? (await surfaces.journey(one.journeyRef!));
      journeys.set(one.journeyRef!, journey);
      const there = journey.stops.find(({ id }) => id === `at:${stop}`)!;
      expect(one.departure).toEqual(there.departure);
      if (k > 0 && one.cancelled)
        expect(there.cancellation).not.toEqual({ fullyCancelled: false, partiallyCancelled: false });
    }
    for (const one of await surfaces.arrivals(stop)) {
      const journey = journeys.get(one.journeyRef!) ?? (await surfaces.journey(one.journeyRef!));
      journeys.set(one.journeyRef!, journey);
      expect(one.arrival).toEqual(journey.stops.find(({ id }) => id === `at:${stop}`)!.arrival);
    }
  }
}

function checkMonotone({ stops }: Journey): void {
  const times = stops
    .filter(({ cancellation }) => !cancellation.fullyCancelled)
    .flatMap(({ arrival, departure, cancellation }) =>
      cancellation.partiallyCancelled ? [] : [shown(arrival, false), shown(departure, false)],
    )
    .filter((time) => time !== 'x')
    .map(clock);
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

/** Expects that every leg of every trip, and its rescue, has the times of its journey. */
async function checkTrips(surfaces: Surfaces, journeys: Map<string, Journey>): Promise<void> {
  for (const { legs } of await surfaces.trips('A', 'E', '11:50')) {
    for (const leg of legs.filter(({ mode }) => mode === 'transit')) {
      const journey = journeys.get(leg.journeyRef!) ?? (await surfaces.journey(leg.journeyRef!));
      const [from, to] = [leg.origin, leg.destination].map(({ id }) => journey.stops.find((stop) => stop.id === id)!);
      expect(leg.origin.departure).toEqual(from!.departure);
      expect(leg.destination.arrival).toEqual(to!.arrival);
      expect(clock(shown(leg.destination.arrival, false))).toBeGreaterThanOrEqual(
        clock(shown(leg.origin.departure, false)),
      );
    }
  }
}

test('all surfaces show the same times, which never decrease along a trip', async () => {
  await fc.assert(
    fc.asyncProperty(reported, async ({ trips, at, isPropagating }) => {
      const update = {
        trips: Object.entries(trips).map(([id, calls]) =>
          report(id, Object.fromEntries(calls.flatMap((one, k) => (one === null ? [] : [[STOPS[k]!, one] as const])))),
        ),
      };
      const surfaces = await openSurfaces(feed, [{ update, at }], NOW, isPropagating);
      const journeys = new Map<string, Journey>();
      await checkBoards(surfaces, journeys);
      await checkTrips(surfaces, journeys);
      for (const journey of journeys.values()) checkMonotone(journey);
    }),
    { numRuns: 40 },
  );
});
