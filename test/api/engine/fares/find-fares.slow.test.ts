import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FareLeg } from '../../../../api/engine/fares/fare-rides.ts';
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

  /** Patterns of the lines of a source's cities, by the agency of the route. */
  function listPatterns(sourceId: string): Map<string, number[]> {
    const { patterns, routes, agencies, fareRoutes } = timetable.tables;
    const byAgency = new Map<string, number[]>();
    const source = timetable.sourceIds.indexOf(sourceId);
    const byDistance = new Set(
      [...routes.agency].flatMap((agency, route) =>
        ['bahn', 'schiff'].includes(agencies.agencyId.get(agency)) ? [fareRoutes.network[route]!] : [],
      ),
    );
    for (const [pattern, route] of patterns.route.entries()) {
      const network = fareRoutes.network[route]!;
      if (routes.source[route] !== source || network === -1 || byDistance.has(network)) continue;
      const agency = agencies.agencyId.get(routes.agency[route]!);
      byAgency.set(agency, [...(byAgency.get(agency) ?? []), pattern]);
    }
    return byAgency;
  }

  const sum = (fares: readonly { amountCents: number }[]) =>
    fares.reduce((all, { amountCents }) => all + amountCents, 0);

  const singles = { wien: 300, graz: 310, linz: 290, salzburg: 300, innsbruck: 300, kaernten: 240, vorarlberg: 220 };

  it.each(Object.entries(singles))('has the same prices in %s with V1 and V2', (agency, single) => {
    const [first, second] = ['first', 'second'].map((source) => listPatterns(source).get(agency)!);
    expect(second!.length).toBe(first!.length);
    const limit = agency === 'wien' ? 7200 : 3600;
    // Out, back while the ticket is valid, and once more after it.
    const starts = [0, 900, limit, limit + 1, limit + 900];
    let compared = 0;
    for (const [i, pattern] of second!.entries()) {
      compared++;
      for (let count = 1; count <= starts.length; count++) {
        const price = count <= 3 ? single : 2 * single;
        for (const along of [pattern, first![i]!]) {
          const legs = starts.slice(0, count).map((start) => rideAlong(along, start));
          expect(sum(findFares(timetable, legs))).toBe(price);
        }
      }
    }
    expect(compared).toBeGreaterThan(3);
  });

  it('names a ticket with the fields of each version', () => {
    const [old, now] = ['first', 'second'].map((source) => rideAlong(listPatterns(source).get('wien')![0]!, 0));
    expect(findFares(timetable, [old!])).toEqual([{ name: 'wien-single', amountCents: 300, currency: 'EUR' }]);
    expect(findFares(timetable, [now!])).toEqual([{ name: 'Einzelfahrt Wien', amountCents: 300, currency: 'EUR' }]);
  });

  /** A ride between two stations, on the first pattern of the line that calls at both in this order. */
  function rideBetween(line: string, from: string, to: string, start: number): FareLeg {
    const { patterns, patternCalls, routes, stops } = timetable.tables;
    const source = timetable.sourceIds.indexOf('second');
    for (const [pattern, route] of patterns.route.entries()) {
      if (routes.source[route] !== source || routes.label.get(route) !== line) continue;
      const first = patterns.firstCall[pattern]!;
      const names = [...patternCalls.stop.subarray(first, first + patterns.callCount[pattern]!)].map((stop) =>
        stops.name.get(stop),
      );
      const [a, b] = [names.indexOf(from), names.indexOf(to)];
      if (a >= 0 && b > a) return rideAlong(pattern, start, [a, b]);
    }
    throw new Error(`${line} does not run from ${from} to ${to}`);
  }

  it.each<[what: string, rides: readonly [line: string, from: string, to: string][], fares: readonly string[]]>([
    ['by distance', [['RJX', 'Wien Hbf', 'St. Pölten Hbf']], ['Bahnfahrt bis 75 km 13.20']],
    ['in the city with its ticket', [['S80', 'Wien Hbf', 'Wien Meidling']], ['Einzelfahrt Wien 3.00']],
    [
      'in the city, and on by underground',
      [
        ['S80', 'Wien Hbf', 'Wien Meidling'],
        ['U6', 'Wien Meidling', 'Wien Westbahnhof'],
      ],
      ['Einzelfahrt Wien 3.00'],
    ],
    [
      'with a change of train at one price',
      [
        ['RJX', 'Wien Hbf', 'Salzburg Hbf'],
        ['REX', 'Salzburg Hbf', 'Zell am See'],
      ],
      ['Bahnfahrt bis 400 km 50.20'],
    ],
    [
      'between two cities, with both of their tickets',
      [
        ['U1', 'Stephansplatz', 'Wien Hbf'],
        ['RJ', 'Wien Hbf', 'Graz Hbf'],
        ['1', 'Graz Hbf', 'Mariatrost'],
      ],
      ['Einzelfahrt Wien 3.00', 'Bahnfahrt bis 200 km 28.20', 'Einzelfahrt Graz 3.10'],
    ],
    [
      'with the day ticket where it costs less',
      [
        ['U1', 'Stephansplatz', 'Wien Hbf'],
        ['RJX', 'Wien Hbf', 'Bregenz'],
      ],
      ['Tageskarte Österreich 59.00'],
    ],
    ['of a ship', [['BSB', 'Bregenz Schiffshafen', 'Lindau Schiffshafen']], ['Schifffahrt bis 10 km 2.80']],
  ])('prices a train %s', (_what, rides, fares) => {
    const legs = rides.map(([line, from, to], i) => rideBetween(line, from, to, i * 600));
    const found = findFares(timetable, legs).map(
      ({ name, amountCents }) => `${name} ${(amountCents / 100).toFixed(2)}`,
    );
    expect(found).toEqual(fares);
  });

  it('has a price for every ride but those of the test operator', () => {
    const { patterns, routes, agencies } = timetable.tables;
    const source = timetable.sourceIds.indexOf('second');
    const unknown = [...patterns.route.entries()].flatMap(([pattern, route]) => {
      if (routes.source[route] !== source) return [];
      const legs = [rideAlong(pattern, 0, [0, patterns.callCount[pattern]! - 1])];
      return findFares(timetable, legs).length > 0 ? [] : [agencies.agencyId.get(routes.agency[route]!)];
    });
    expect(new Set(unknown)).toEqual(new Set(['pruef']));
  });
});
