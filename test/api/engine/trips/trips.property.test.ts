import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Leg, Place, TripRequest } from '../../../../api/contract/definitions.ts';
import { findItineraries } from '../../../../api/engine/planner/planner.ts';
import { planTrips, readQuestion, type TripsContext } from '../../../../api/engine/trips/plan-trips.ts';
import { computeTimeline, isBroken } from '../../../../api/engine/trips/timeline.ts';
import type { CallReport, ReportedTime, TripReport } from '../../../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { findContractErrors } from '../../../support/checks/contract-validator.ts';
import { instant } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf } from '../../../support/worlds/live-reports.ts';
import { at, townTrip } from '../live-town.ts';
import { buildTripRequest, openTrips } from './trip-questions.ts';
import { liveTripTown } from './trip-town.ts';

const NOW = '08:05';

/** The calls of the network's trips, as in its feed: stop and scheduled time. */
const plans: Readonly<Record<string, readonly (readonly [stop: string, clock: string])[]>> = {
  t1: [
    ['a', '08:00'],
    ['k', '08:06'],
    ['s1', '08:10'],
    ['z', '08:30'],
  ],
  t2: [
    ['s2', '08:18'],
    ['z', '08:40'],
  ],
  t3: [
    ['h', '08:25'],
    ['z', '08:50'],
  ],
  t4: [
    ['z', '08:52'],
    ['a', '09:20'],
  ],
  late: [
    ['s2', '09:00'],
    ['z', '09:22'],
  ],
  x1: [
    ['s2', '08:18'],
    ['x', '08:45'],
  ],
  x2: [
    ['s2', '09:18'],
    ['x', '09:45'],
  ],
};

const delay = fc.option(fc.integer({ min: -600, max: 2400 }), { nil: null });

function anyTime(clock: string): fc.Arbitrary<ReportedTime | null> {
  return fc
    .tuple(delay, fc.boolean())
    .map(([seconds, isMeasured]) =>
      seconds === null ? null : timeOf((instant(at(clock)) + seconds) as Instant, null, isMeasured),
    );
}

function anyCall([stop, clock]: readonly [string, string]): fc.Arbitrary<CallReport> {
  return fc
    .tuple(anyTime(clock), anyTime(clock), fc.integer({ min: 0, max: 5 }))
    .map(([arrival, departure, dice]) =>
      callOf(stopOf(stop), dice === 0 ? { state: 'skipped' } : { arrival, departure }),
    );
}

const anyReports: fc.Arbitrary<TripReport[]> = fc
  .tuple(
    ...Object.entries(plans).map(([tripId, calls]) =>
      fc
        .tuple(fc.constantFrom('nothing', 'cancelled', 'told', 'told'), fc.tuple(...calls.map(anyCall)))
        .map(([what, reported]) => {
          if (what === 'nothing') return null;
          const trip = townTrip(tripId);
          return what === 'cancelled'
            ? reportOf(trip, { relationship: 'cancelled' })
            : reportOf(trip, { calls: reported });
        }),
    ),
  )
  .map((reports) => reports.flatMap((report) => report ?? []));

const anyPlace: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom('a', 's', 's1', 's2', 'k', 'z', 'h', 'x', 'e').map((id) => ({ stopId: `at:${id}` })),
  fc
    .tuple(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 0, max: 1000 }))
    .map(([lat, lon]) => ({ coord: { lat: 48 + lat / 10_000, lon: 16 + lon / 10_000 } })),
);

const anyBody: fc.Arbitrary<TripRequest> = fc
  .record({
    from: anyPlace,
    to: anyPlace,
    via: fc.array(anyPlace, { maxLength: 1 }),
    time: fc.constantFrom('07:30', '07:55', '08:05', '08:17', '09:30').map(at),
    timeMode: fc.constantFrom('departure' as const, 'arrival' as const),
    limit: fc.integer({ min: 1, max: 4 }),
    maxWalkMeters: fc.constantFrom(0, 700, 2500),
    minTransferMinutes: fc.constantFrom(0, 4),
    wheelchair: fc.boolean(),
  })
  .map(({ from, to, ...over }) => buildTripRequest(from, to, over));

async function openWith(reports: readonly TripReport[]): Promise<TripsContext> {
  return openTrips(await liveTripTown(NOW, { trips: reports }), NOW);
}

test('trips have the times of the search', async () => {
  await fc.assert(
    fc.asyncProperty(anyReports, anyBody, async (reports, body) => {
      const { published, planner, places, instant } = await openWith(reports);
      const { query } = await readQuestion(places, body, parseTimestamp(body.time!)!, null);
      for (const itinerary of findItineraries({ planner, published, instant, query, cursor: null }).itineraries) {
        const timeline = computeTimeline(published, itinerary, instant);
        expect(isBroken(timeline)).toBe(false);
        expect([timeline.begin.expected, timeline.end.expected]).toEqual([itinerary.departure, itinerary.arrival]);
        const reported = timeline.parts.map(({ begin, end }) => [begin.expected, end.expected]);
        expect(reported).toEqual(itinerary.parts.map(({ departure, arrival }) => [departure, arrival]));
      }
    }),
    { numRuns: 100 },
  );
});

test('legs follow one another in place and time, and trips in their order', async () => {
  await fc.assert(
    fc.asyncProperty(anyReports, anyBody, async (reports, body) => {
      const { trips } = await planTrips(await openWith(reports), body);
      expect(await findContractErrors('TripResult', { trips })).toEqual([]);
      for (const { legs, departure, arrival } of trips) {
        expect([departure, arrival]).toEqual([legs[0]!.origin.departure, legs.at(-1)!.destination.arrival]);
        for (const [i, leg] of legs.slice(1).entries()) checkJoint(legs[i]!, leg);
      }
      expect(trips.length).toBeLessThanOrEqual(body.limit + 2);
      expect(new Set(trips.map(({ id }) => id)).size).toBe(trips.length);
    }),
    { numRuns: 100 },
  );
});

/** A missed transfer is marked; otherwise nothing starts before the previous part has ended. */
function checkJoint(before: Leg, leg: Leg): void {
  expect(leg.origin.id).toBe(before.destination.id);
  const timeOf = (time: Leg['origin']['departure']) => parseTimestamp(time!.realtime ?? time!.scheduled!)!;
  const isInTime = timeOf(before.destination.arrival) <= timeOf(leg.origin.departure);
  const risks = [before.transferRisk, leg.transferRisk];
  expect(isInTime || risks.includes('missed') || before.cancellation.fullyCancelled).toBe(true);
}
