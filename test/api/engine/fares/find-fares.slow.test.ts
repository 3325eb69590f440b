import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFares } from '../../../../api/engine/fares/find-fares.ts';
import type { Timetable } from '../../../../api/engine/read/timetable.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';
import { buildSample } from '../../../support/worlds/sample.ts';
import { describeFares, withFares } from './fare-town.ts';

const flat = `
  # fare_attributes.txt
  fare_id,price,currency_type,transfers
  flat,2.40,CHF,
`;

const products = `
  # fare_products.txt
  fare_product_id,fare_product_name,amount,currency
  single,Single,2.50,EUR
  change,Change,0.50,EUR
  # fare_leg_rules.txt
  leg_group_id,fare_product_id
  all,single
  # fare_transfer_rules.txt
  from_leg_group_id,to_leg_group_id,transfer_count,fare_transfer_type,fare_product_id
  all,all,-1,0,change
`;

describe('several feeds', () => {
  const getFares = async (rides: readonly string[]) => {
    const { timetable } = await openWorld(
      { at: withFares(products), ch: withFares(flat), none: withFares('') },
      { settings: { merging: mergeNothing } },
    );
    return describeFares(timetable, rides, { source: 'at' });
  };

  it.each<[what: string, rides: readonly string[], fares: readonly string[]]>([
    [
      "charges each feed's own fares, in the order of travel",
      ['ch:bus a b 8:00-8:10', 'bus c d 8:20-8:30'],
      ['flat 2.40 CHF', 'Single 2.50 EUR'],
    ],
    [
      'rides of another feed in between do not end a ticket',
      ['bus a b 8:00-8:10', 'ch:bus a b 8:20-8:30', 'tram b c 8:40-8:50', 'ch:rail b c 9:00-9:10'],
      ['Single 2.50 EUR', 'flat 2.40 CHF', 'Change 0.50 EUR'],
    ],
    ['fares are unknown for a ride of a feed without fares', ['bus a b 8:00-8:10', 'none:bus b c 8:20-8:30'], []],
    ['a feed without fares returns none', ['none:bus a b 8:00-8:10'], []],
    [
      'a passenger cannot stay on board across feeds',
      ['ch:bus a b 8:00-8:10', '+bus b c 8:10-8:30'],
      ['flat 2.40 CHF', 'Single 2.50 EUR'],
    ],
  ])('%s', async (_what, rides, fares) => {
    expect(await getFares(rides)).toEqual(fares);
  });
});

/** Examples of all fare features, V1 and V2. */
const rich = `
  # fare_attributes.txt
  fare_id,price,currency_type,transfers,agency_id
  short,2,EUR,0,
  long,4.50,EUR,,
  through,3,EUR,1,
  rail,6,EUR,,w
  # fare_rules.txt
  fare_id,route_id,origin_id,destination_id,contains_id
  short,bus,1,1,
  short,tram,1,1,
  short,bus,2,3,
  long,bus,,,
  long,tram,,,
  through,bus,,,1
  through,bus,,,2
  through,tram,,,1
  through,tram,,,2
  rail,rail,,,
  # networks.txt
  network_id
  city
  far
  # route_networks.txt
  network_id,route_id
  city,bus
  city,tram
  # areas.txt
  area_id
  west
  east
  # stop_areas.txt
  area_id,stop_id
  west,a
  west,b
  east,s
  east,d
  # rider_categories.txt
  rider_category_id,is_default_fare_category
  adult,1
  child,0
  # fare_products.txt
  fare_product_id,fare_product_name,rider_category_id,fare_media_id,amount,currency
  single,Single,adult,paper,2.50,EUR
  single,Single app,adult,app,2.20,EUR
  single,Single,child,paper,1,EUR
  twin,Twin,,,2.20,EUR
  less,Less,,,-0.40,EUR
  # fare_leg_rules.txt
  leg_group_id,network_id,from_area_id,to_area_id,fare_product_id
  in,city,west,west,single
  in,city,west,,twin
  out,city,east,,single
  out,city,east,,twin
  # fare_transfer_rules.txt
  from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id
  in,in,1,3600,1,0,
  in,in,2,,,1,less
  in,out,,,,1,less
`;

const journeys = [
  ['bus a b 8:00-8:10'],
  ['bus a b 8:00-8:10', 'tram b c 8:20-8:30'],
  ['bus a b 8:00-8:10', 'tram b a 8:20-8:30', 'bus a b 8:40-8:50', 'tram b a 9:00-9:10'],
  ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'bus d e 8:40-8:50'],
  ['bus a b c 8:00-8:10', 'bus c d 8:20-8:30'],
  ['rail a b 8:00-8:10', 'bus b c 8:20-8:30', 'tram c b 8:40-8:50'],
  ['bus p d 8:00-8:10', 'tram d a 8:20-8:30'],
];

const describeAll = (timetable: Timetable, source: string) =>
  journeys.map((rides) => describeFares(timetable, rides, { source }));

describe('the same rules', () => {
  it('give the same prices in any order of rows', async () => {
    const feed = withFares(rich);
    const shuffled = fc.tuple(
      ...[...feed].map(([name, text]) => {
        const [header, ...rows] = text.trimEnd().split('\n');
        return fc
          .shuffledSubarray(rows, { minLength: rows.length })
          .map((order) => [name, `${[header, ...order].join('\n')}\n`] as const);
      }),
    );
    const feeds = fc.sample(shuffled, { numRuns: 6, seed: 4 }).map((files, i) => [`shuffled-${i}`, new Map(files)]);
    const { timetable } = await openWorld(
      { plain: feed, ...Object.fromEntries(feeds) },
      { settings: { merging: mergeNothing } },
    );
    const expected = describeAll(timetable, 'plain');
    // If all prices were unknown, the property would hold trivially.
    expect(expected.filter((fares) => fares.length > 0).length).toBeGreaterThan(5);
    for (const [source] of feeds) expect(describeAll(timetable, source as string)).toEqual(expected);
  });

  /** Rows that concern no ride, by file. */
  const unrelated: Readonly<Record<string, string>> = {
    'fare_attributes.txt': 'aaa,0.10,EUR,,\n',
    'fare_rules.txt': 'aaa,ferry,,,\n',
    'areas.txt': 'aaa\n',
    'networks.txt': 'aaa\n',
    'fare_products.txt': 'aaa,Cheap,adult,,0.10,EUR\nsingle,Single,child,app,0.05,EUR\n',
    'fare_leg_rules.txt': 'aaa,aaa,,,aaa\naaa,,aaa,,aaa\n',
    'fare_transfer_rules.txt': 'aaa,aaa,-1,,,2,\n',
    'rider_categories.txt': 'aaa,0\n',
    'routes.txt': 'ferry,v,4,4\n',
  };

  it('give the same prices beside unrelated rows', async () => {
    const feed = withFares(rich);
    const more = new Map([...feed].map(([name, text]) => [name, text + (unrelated[name] ?? '')]));
    expect(Object.keys(unrelated).filter((name) => !feed.has(name))).toEqual([]);
    const { timetable } = await openWorld(
      { plain: feed, more, empty: withFares('') },
      { settings: { merging: mergeNothing } },
    );
    expect(describeAll(timetable, 'more')).toEqual(describeAll(timetable, 'plain'));
  });
});

describe('the sample', () => {
  let timetable: Timetable;

  const FIRST = ['fare_attributes.txt', 'fare_rules.txt'];
  const SECOND = ['fare_products.txt', 'fare_leg_rules.txt', 'fare_transfer_rules.txt'];

  beforeAll(async () => {
    const sample = await buildSample('2026-03-04');
    const without = (names: readonly string[]) => new Map([...sample].filter(([name]) => !names.includes(name)));
    ({ timetable } = await openWorld({ first: without(SECOND), second: without(FIRST) }));
  }, 120_000);

  /** A ride on a pattern between two of its calls, `start` seconds after eight. */
  function rideAlong(pattern: number, start: number, calls: readonly [from: number, to: number] = [0, 1]) {
    const { patterns, patternCalls } = timetable.tables;
    const first = patterns.firstCall[pattern]!;
    const departure = (Date.UTC(2026, 2, 4, 8) / 1000 + start) as Instant;
    return {
      trip: patterns.firstTrip[pattern]!,
      route: -1,
      stops: [...patternCalls.stop.subarray(first + calls[0], first + calls[1] + 1)],
      departure,
      arrival: (departure + 600) as Instant,
      isStaying: false,
    };
  }

  /** The first and the last call of a pattern within the city; some lines continue beyond it. */
  function findCityCalls(pattern: number): [from: number, to: number] | null {
    const { patterns, patternCalls, fareStops } = timetable.tables;
    const first = patterns.firstCall[pattern]!;
    const stops = patternCalls.stop.subarray(first, first + patterns.callCount[pattern]!);
    const within = [...stops.keys()].filter((i) => fareStops.areaCount[stops[i]!]! > 0);
    return within.length > 1 ? [within[0]!, within.at(-1)!] : null;
  }

  /** Patterns of a source's routes with fares, by the agency of the route. */
  function listPatterns(sourceId: string): Map<string, number[]> {
    const { patterns, routes, agencies, fareRoutes } = timetable.tables;
    const byAgency = new Map<string, number[]>();
    const source = timetable.sourceIds.indexOf(sourceId);
    for (const [pattern, route] of patterns.route.entries()) {
      if (routes.source[route] !== source || fareRoutes.network[route] === -1) continue;
      const agency = agencies.agencyId.get(routes.agency[route]!);
      byAgency.set(agency, [...(byAgency.get(agency) ?? []), pattern]);
    }
    return byAgency;
  }

  const sum = (fares: readonly { amountCents: number }[]) =>
    fares.reduce((all, { amountCents }) => all + amountCents, 0);

  const singles = { wien: 300, graz: 310, linz: 290, salzburg: 300, innsbruck: 300 };

  it.each(Object.entries(singles))('has the same prices in %s with V1 and V2', (agency, single) => {
    const [first, second] = ['first', 'second'].map((source) => listPatterns(source).get(agency)!);
    expect(second!.length).toBe(first!.length);
    const limit = agency === 'wien' ? 7200 : 3600;
    // Out, back while the ticket is valid, and once more after it.
    const starts = [0, 900, limit, limit + 1, limit + 900];
    let compared = 0;
    for (const [i, pattern] of second!.entries()) {
      const calls = findCityCalls(pattern);
      if (!calls) continue;
      compared++;
      for (let count = 1; count <= starts.length; count++) {
        const price = count <= 3 ? single : 2 * single;
        for (const along of [pattern, first![i]!]) {
          const legs = starts.slice(0, count).map((start) => rideAlong(along, start, calls));
          expect(sum(findFares(timetable, legs))).toBe(price);
        }
      }
    }
    expect(compared).toBeGreaterThan(4);
  });

  it('names a ticket with the fields of each version', () => {
    const [old, now] = ['first', 'second'].map((source) => rideAlong(listPatterns(source).get('wien')![0]!, 0));
    expect(findFares(timetable, [old!])).toEqual([{ name: 'wien-single', amountCents: 300, currency: 'EUR' }]);
    expect(findFares(timetable, [now!])).toEqual([{ name: 'Einzelfahrt Wien', amountCents: 300, currency: 'EUR' }]);
  });

  it('has no fare for the railway', () => {
    const { patterns, fareRoutes } = timetable.tables;
    const pattern = patterns.route.findIndex((route) => fareRoutes.network[route] === -1);
    expect(findFares(timetable, [rideAlong(pattern, 0)])).toEqual([]);
  });
});
