import fc from 'fast-check';
import type { NaivePlanFeed, NaiveStop } from '../oracles/naive-plan-feed.ts';
import type { NaivePlace } from '../oracles/naive-plan-places.ts';
import type { PlannerQuestion } from '../oracles/query-planner.ts';

type Arbitrated<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

const place = fc.record({
  stop: fc.nat(),
  kind: fc.constantFrom('stop', 'stop', 'stop', 'station', 'coordinate'),
  north: fc.integer({ min: -40, max: 40 }),
  east: fc.integer({ min: -40, max: 40 }),
});
const mostly = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** A random query in a city: mostly from stop to stop, and without special options. */
export const cityQuestion = fc.record({
  from: place,
  to: place,
  day: fc.nat(),
  /** Minutes; nights are rare. */
  clock: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 300, max: 1380 }) },
    { weight: 1, arbitrary: fc.nat(1439) },
  ),
  terms: fc.record({
    maxTransfers: mostly(8, 0, 1, 2),
    minTransferSeconds: mostly(0, 180, 600),
    walkSpeedKmh: mostly(4.7, 2.5, 6.5),
    maxWalkMeters: mostly(1500, 0, 500, 3000),
    wheelchair: mostly(false, true),
  }),
  /** Products to exclude, one bit each. */
  excluded: mostly(0, 1, 2, 4),
});

/** @param days their starts, seconds since 1970 */
export function toCityQuestion(
  { from, to, day, clock, terms, excluded }: Arbitrated<typeof cityQuestion>,
  feed: NaivePlanFeed,
  days: readonly number[],
): Omit<PlannerQuestion, 'timeMode' | 'limit'> {
  const products = [...new Set(feed.trips.map(({ routeId }) => feed.productOf(routeId)))].sort();
  const time = days[day % days.length]! + clock * 60;
  return {
    ...terms,
    from: toPlace(from, feed),
    to: toPlace(to, feed),
    via: [],
    products: excluded === 0 ? null : products.filter((_, i) => ((excluded >> i) & 1) === 0),
    time,
    instant: time,
  };
}

function toPlace({ stop, kind, north, east }: Arbitrated<typeof place>, { stops }: NaivePlanFeed): NaivePlace {
  const served = listServed(stops);
  const chosen = served[stop % served.length]!;
  // 40 units are half a kilometre or less.
  if (kind === 'coordinate') return { lat: chosen.lat + north * 1e-4, lon: chosen.lon + east * 1e-4 };
  return { stopId: kind === 'station' ? stops[chosen.station]!.id : chosen.id };
}

function listServed(stops: readonly NaiveStop[]): readonly NaiveStop[] {
  return stops.filter(({ isServed, lat }) => isServed && !Number.isNaN(lat));
}
