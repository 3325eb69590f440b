import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type NaiveClass,
  type NaiveProducts,
  type NaiveRide,
  type NaiveTown,
  priceByClasses,
  priceByProducts,
} from '../../../support/oracles/naive-fares.ts';
import type { World } from '../../../support/worlds/board-world.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { priceInCents, withFares } from './fare-town.ts';

/** The network of `fare-town.ts`, as far as the random fares use it. */
const town: NaiveTown = {
  zones: { a: '1', b: '1', c: '2', d: '3', p: '2', q: '2' },
  areas: { a: ['west'], b: ['west', 'old'], c: ['middle'], d: [], p: ['middle'], q: ['old'] },
  stations: { a: 'a', b: 'b', c: 'c', d: 'd', p: 's', q: 's' },
  agencies: { bus: 'v', tram: 'v', rail: 'w' },
  networks: { bus: 'city', tram: 'city', rail: 'far' },
};

const places = `
  # networks.txt
  network_id
  city
  far
  # route_networks.txt
  network_id,route_id
  city,bus
  city,tram
  far,rail
  # areas.txt
  area_id
  west
  middle
  old
  # stop_areas.txt
  area_id,stop_id
  west,a
  west,b
  old,b
  middle,c
  middle,s
  old,q
`;

const CLASS_FEEDS = 5;
const PRODUCT_FEEDS = 14;
const SEED = 20260304;
const QUESTIONS_PER_FEED = 150;

const orEmpty = <T>(...values: readonly T[]) => fc.constantFrom('' as const, ...values);
const cents = fc.integer({ min: 30, max: 90 }).map((tens) => tens * 10);

const classes: fc.Arbitrary<readonly NaiveClass[]> = fc.array(
  fc.record({
    id: fc.constant(''),
    cents,
    transfers: orEmpty(0, 1, 2),
    seconds: orEmpty(1200, 3600),
    agency: orEmpty('v', 'w'),
    rules: fc.option(
      fc.array(
        fc.record({
          route: orEmpty('bus', 'tram', 'rail'),
          origin: orEmpty('1', '2', '3'),
          destination: orEmpty('1', '2', '3'),
          contains: fc.oneof(
            { weight: 3, arbitrary: fc.constant([]) },
            { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom('1', '2', '3'), { minLength: 1 }) },
          ),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      { freq: 6 },
    ),
  }),
  { minLength: 3, maxLength: 8 },
);

function writeClasses(all: readonly NaiveClass[]): string {
  const rules = all.flatMap(({ rules }, i) =>
    (rules ?? []).flatMap(({ route, origin, destination, contains }) =>
      (contains.length > 0 ? contains : ['']).map((zone) => `f${i},${route},${origin},${destination},${zone}`),
    ),
  );
  return `
    # fare_attributes.txt
    fare_id,price,currency_type,transfers,transfer_duration,agency_id
    ${all.map((one, i) => `f${i},${one.cents / 100},EUR,${one.transfers},${one.seconds},${one.agency}`).join('\n')}
    # fare_rules.txt
    fare_id,route_id,origin_id,destination_id,contains_id
    ${[...new Set(rules)].join('\n')}
  `;
}

/**
 * Rules of one class that differ only in their zones count as one rule for all of them; these tests exclude such rules.
 */
function isPlain({ rules }: NaiveClass): boolean {
  const keys = (rules ?? [])
    .filter(({ contains }) => contains.length > 0)
    .map((rule) => [rule.route, rule.origin, rule.destination].join());
  return new Set(keys).size === keys.length;
}

const groups = ['g', 'h', 'i'] as const;
const products = ['p0', 'p1', 'p2', 'p3'] as const;

const productFares: fc.Arbitrary<NaiveProducts> = fc.record({
  hasPriorities: fc.boolean(),
  prices: fc.tuple(cents, cents, cents, cents).map((each) => ({
    ...Object.fromEntries(products.map((product, i) => [product, each[i]!])),
    extra: 50,
    less: -50,
  })),
  legs: fc.uniqueArray(
    fc.record({
      group: fc.constantFrom('', 'g', 'g', 'g', 'h', 'h', 'i'),
      network: orEmpty('city', 'city', 'far'),
      from: orEmpty('', '', 'west', 'middle', 'old'),
      to: orEmpty('', '', 'west', 'middle', 'old'),
      product: fc.constantFrom(...products),
      priority: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 4, maxLength: 9, selector: ({ network, from, to, product }) => [network, from, to, product].join() },
  ),
  joins: fc.constantFrom([], [['city', 'city']] as const, [['city', 'far']] as const),
  transfers: fc
    .uniqueArray(
      fc.record({
        // Usually from a group to itself, where transfers are counted.
        pair: fc.oneof(
          fc.constantFrom(['g', 'g'] as const, ['h', 'h'] as const, ['', ''] as const),
          fc.tuple(orEmpty(...groups), orEmpty(...groups)),
        ),
        count: fc.constantFrom(-1, 1, 2, 3),
        seconds: orEmpty(1500, 3000),
        limitType: fc.integer({ min: 0, max: 3 }),
        type: fc.integer({ min: 0, max: 2 }),
        product: orEmpty('extra', 'less', 'p0'),
      }),
      { maxLength: 5, selector: ({ pair, count, seconds, product }) => [pair, count, seconds, product].join() },
    )
    .map((rules) => rules.map(({ pair: [from, to], ...rule }) => ({ from, to, ...rule }))),
});

function writeProducts(fares: NaiveProducts): string {
  // A group without leg rules cannot occur in a transfer rule.
  return `${places}
    # fare_products.txt
    fare_product_id,amount,currency
    ${Object.entries(fares.prices)
      .map(([product, price]) => `${product},${price / 100},EUR`)
      .join('\n')}
    # fare_leg_rules.txt
    leg_group_id,network_id,from_area_id,to_area_id,fare_product_id${fares.hasPriorities ? ',rule_priority' : ''}
    ${fares.legs.map((rule) => [rule.group, rule.network, rule.from, rule.to, rule.product, ...(fares.hasPriorities ? [rule.priority] : [])].join()).join('\n')}
    # fare_leg_join_rules.txt
    from_network_id,to_network_id
    ${fares.joins.map((join) => join.join()).join('\n')}
    # fare_transfer_rules.txt
    from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id
    ${fares.transfers.map((rule) => [rule.from, rule.to, rule.count, rule.seconds, rule.seconds === '' ? '' : rule.limitType, rule.type, rule.product].join()).join('\n')}
  `;
}

/** Transfer rules may only use the groups of the leg rules. */
function withKnownGroups(fares: NaiveProducts): NaiveProducts {
  const known = new Set(['', ...fares.legs.map(({ group }) => group)]);
  return { ...fares, transfers: fares.transfers.filter(({ from, to }) => known.has(from) && known.has(to)) };
}

/** Up to six rides, each from the stop of the previous one or the platform beside it. */
const journeys: fc.Arbitrary<readonly NaiveRide[]> = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'd', 'p', 'q'),
    fc.array(
      fc.record({
        route: fc.constantFrom('bus', 'tram', 'rail'),
        through: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'p', 'q'), { maxLength: 2 }),
        to: fc.constantFrom('a', 'b', 'c', 'd', 'p', 'q'),
        waits: fc.constantFrom(0, 300, 900),
        rides: fc.constantFrom(300, 900, 1500),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([from, parts]) => {
    const rides: NaiveRide[] = [];
    for (const { route, through, to, waits, rides: seconds } of parts) {
      const last = rides.at(-1);
      const start = last?.stops.at(-1) ?? from;
      const departure = (last?.arrival ?? 0) + waits;
      // A passenger who alights at p continues from q.
      rides.push({
        route,
        stops: [start === 'p' ? 'q' : start, ...through, to],
        departure,
        arrival: departure + seconds,
      });
    }
    return rides;
  });

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, seed: number) =>
  fc.sample(arbitrary, { numRuns, seed });

const classSystems = sample(
  classes.filter((all) => all.every(isPlain)),
  CLASS_FEEDS,
  SEED,
);
const productSystems = sample(productFares.map(withKnownGroups), PRODUCT_FEEDS, SEED);

let world: World;

beforeAll(async () => {
  world = await openWorld({
    ...Object.fromEntries(classSystems.map((all, i) => [`class-${i}`, withFares(writeClasses(all))])),
    ...Object.fromEntries(productSystems.map((fares, i) => [`product-${i}`, withFares(writeProducts(fares))])),
  });
}, 120_000);

/**
 * Compares the prices of many journeys.
 * @returns how many have a price
 */
function compare(source: string, seed: number, priceOf: (rides: readonly NaiveRide[]) => number | null): number {
  let known = 0;
  for (const rides of sample(journeys, QUESTIONS_PER_FEED, seed)) {
    const expected = priceOf(rides);
    expect({ source, rides, cents: priceInCents(world.timetable, source, rides) }).toEqual({
      source,
      rides,
      cents: expected ?? 0,
    });
    if (expected) known++;
  }
  return known;
}

describe('finds the cheapest way to pay', () => {
  it('by fare classes', () => {
    const known = classSystems.map((all, i) => compare(`class-${i}`, i, (rides) => priceByClasses(town, all, rides)));
    expect(known.reduce((sum, count) => sum + count)).toBeGreaterThan(150);
  });

  it('by fare products', () => {
    const known = productSystems.map((fares, i) =>
      compare(`product-${i}`, i, (rides) => priceByProducts(town, fares, rides)),
    );
    expect(known.reduce((sum, count) => sum + count)).toBeGreaterThan(300);
  });
});
