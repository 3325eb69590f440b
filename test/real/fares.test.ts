import { beforeAll, describe, expect, it } from 'vitest';
import { findFares } from '../../api/engine/fares/find-fares.ts';
import type { Timetable } from '../../api/engine/read/timetable.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { readZipTexts, realData } from '../support/worlds/real-data.ts';

const FEED = realData('gtfs/caltrain.zip');

let timetable: Timetable;
/** The published rows, split at commas, which no value of these files contains. */
let published: Record<'stops' | 'fare_rules' | 'fare_attributes', readonly (readonly string[])[]>;

beforeAll(async () => {
  ({ timetable } = await openWorld({ at: { location: FEED } }));
  const texts = await readZipTexts(FEED, ['stops.txt', 'fare_rules.txt', 'fare_attributes.txt']);
  const rowsOf = (name: string) =>
    texts
      .get(name)!
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((row) => row.split(','));
  published = {
    stops: rowsOf('stops.txt'),
    fare_rules: rowsOf('fare_rules.txt'),
    fare_attributes: rowsOf('fare_attributes.txt'),
  };
});

/** The publisher's fare for a ride on a route, in cents; null without a rule. */
function readPrice(route: string, from: string, to: string): number | null {
  // stops.txt: stop_id first, zone_id sixth. fare_rules.txt: fare_id,route_id,origin_id,destination_id.
  const zoneOf = (stop: string) => published.stops.find(([id]) => id === stop)![5];
  const rule = published.fare_rules.find(
    ([, of, origin, destination]) => of === route && origin === zoneOf(from) && destination === zoneOf(to),
  );
  const fare = rule && published.fare_attributes.find(([id]) => id === rule[0]);
  return fare ? Math.round(Number(fare[1]) * 100) : null;
}

/** A ride on a pattern from one of its calls to a later one. */
function ride(pattern: number, from: number, to: number) {
  const { patterns, patternCalls } = timetable.tables;
  const first = patterns.firstCall[pattern]!;
  return {
    trip: patterns.firstTrip[pattern]!,
    route: patterns.route[pattern]!,
    stops: [...patternCalls.stop.subarray(first + from, first + to + 1)],
    departure: 1_460_000_000 as Instant,
    arrival: 1_460_003_600 as Instant,
    isStaying: false,
  };
}

describe('zone fares of a railway', () => {
  it.each([
    ['San Francisco', 'within its zone', '70012', '70022', 375],
    ['San Francisco', 'to Palo Alto, zone 3', '70012', '70172', 775],
    ['Gilroy', 'to San Francisco, zone 6 to 1', '70321', '70011', 1375],
  ])('%s %s', (_from, _to, from, to, cents) => {
    const { patterns, patternCalls, stops, routes } = timetable.tables;
    const requested = [...patterns.route.keys()].flatMap((pattern) => {
      const first = patterns.firstCall[pattern]!;
      const calls = [...patternCalls.stop.subarray(first, first + patterns.callCount[pattern]!)];
      const [board, alight] = [from, to].map((id) => calls.findIndex((stop) => stops.stopId.get(stop) === id));
      return board! >= 0 && alight! > board! ? [{ pattern, board: board!, alight: alight! }] : [];
    });
    expect(requested.length).toBeGreaterThan(0);
    for (const { pattern, board, alight } of requested) {
      const route = routes.routeId.get(patterns.route[pattern]!);
      expect(readPrice(route, from, to)).toBe(cents);
      expect(findFares(timetable, [ride(pattern, board, alight)])).toMatchObject([
        { amountCents: cents, currency: 'USD' },
      ]);
    }
  });

  it('from every stop of every line to every later one', () => {
    const { patterns, patternCalls, stops, routes } = timetable.tables;
    let known = 0;
    for (let pattern = 0; pattern < patterns.route.length; pattern++) {
      const route = routes.routeId.get(patterns.route[pattern]!);
      const idAt = (call: number) => stops.stopId.get(patternCalls.stop[patterns.firstCall[pattern]! + call]!);
      for (let from = 0; from < patterns.callCount[pattern]!; from++) {
        for (let to = from + 1; to < patterns.callCount[pattern]!; to++) {
          const expected = readPrice(route, idAt(from), idAt(to));
          const found = findFares(timetable, [ride(pattern, from, to)]).map(({ amountCents }) => amountCents);
          expect(found).toEqual(expected === null ? [] : [expected]);
          if (expected !== null) known++;
        }
      }
    }
    expect(known).toBeGreaterThan(1000);
  });
});
