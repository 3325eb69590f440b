import { beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../../../support/worlds/board-world.ts';
import { mergeNothing } from '../../../support/worlds/ingest.ts';
import { describeFares, withFares } from './fare-town.ts';

interface Case {
  readonly rule: string;
  /** fare_attributes.txt and fare_rules.txt. */
  readonly fares: string;
  readonly prices: readonly (readonly [rides: readonly string[], fares: readonly string[]])[];
}

const [toB, toC, toD] = ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'rail c d 8:40-9:10'] as const;

const cases: readonly Case[] = [
  {
    rule: 'a class without rules is valid everywhere, for as many changes as it says',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      once,2.50,EUR,1
    `,
    prices: [
      [[], []],
      [[toB], ['once 2.50 EUR']],
      [[toB, toC], ['once 2.50 EUR']],
      [
        [toB, toC, toD],
        ['once 2.50 EUR', 'once 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'without a limit of transfers, one ticket is enough; with none, each ride has its own',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      any,7,EUR,
      none,2.50,EUR,0
    `,
    prices: [
      [[toB], ['none 2.50 EUR']],
      [
        [toB, toC],
        ['none 2.50 EUR', 'none 2.50 EUR'],
      ],
      [[toB, toC, toD], ['any 7.00 EUR']],
    ],
  },
  {
    rule: 'a ticket lasts until the last vehicle is boarded',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers,transfer_duration
      hour,2.50,EUR,,3600
    `,
    prices: [
      [['bus a b 8:00-9:30'], ['hour 2.50 EUR']],
      [['bus a b 8:00-8:30', 'tram b c 9:00-9:40'], ['hour 2.50 EUR']],
      [
        ['bus a b 8:00-8:30', 'tram b c 9:00:01-9:40'],
        ['hour 2.50 EUR', 'hour 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'of routes: all routes of a ticket have a rule; where one has none, nothing is known',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      town,2,EUR,
      bus-only,1.50,EUR,
      # fare_rules.txt
      fare_id,route_id
      town,bus
      town,tram
      bus-only,bus
    `,
    prices: [
      [[toB], ['bus-only 1.50 EUR']],
      [[toC], ['town 2.00 EUR']],
      [[toB, toC], ['town 2.00 EUR']],
      [[toD], []],
      [[toB, toD], []],
    ],
  },
  {
    rule: 'of zones: where the ticket begins and ends; two short ones where that is cheaper',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      short,2,EUR,
      long,5,EUR,
      from-1,9,EUR,
      to-3,8,EUR,
      # fare_rules.txt
      fare_id,origin_id,destination_id
      short,1,1
      short,1,2
      short,2,3
      long,1,3
      from-1,1,
      to-3,,3
    `,
    prices: [
      [['bus a b c d 8:00-9:00'], ['long 5.00 EUR']],
      // With one ticket 5.00; with a new one in zone 2 4.00.
      [
        ['bus a b c 8:00-8:30', 'tram c d 8:40-9:00'],
        ['short 2.00 EUR', 'short 2.00 EUR'],
      ],
      [['bus a b 8:00-8:10', 'tram b c 8:20-8:30'], ['short 2.00 EUR']],
      [['bus a b c d e 8:00-9:00'], ['from-1 9.00 EUR']],
      [['bus e d 8:00-9:00'], ['to-3 8.00 EUR']],
      [['bus d c 8:00-9:00'], []],
    ],
  },
  {
    rule: 'of a route between zones, as a railway has them',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      one,3.75,USD,0
      two,5.75,USD,0
      # fare_rules.txt
      fare_id,route_id,origin_id,destination_id
      one,rail,1,1
      two,rail,1,2
      two,rail,2,1
    `,
    prices: [
      [['rail a b 8:00-8:30'], ['one 3.75 USD']],
      [['rail a b c 8:00-8:30'], ['two 5.75 USD']],
      [['rail c b 8:00-8:30'], ['two 5.75 USD']],
      [['rail c p 8:00-8:30'], []],
      [['bus a b 8:00-8:30'], []],
    ],
  },
  {
    rule: 'of zones travelled through: all of them and no others',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      both,4,EUR,
      west,2,EUR,
      east,2.20,EUR,
      # fare_rules.txt
      fare_id,route_id,contains_id
      both,bus,1
      both,bus,2
      west,bus,1
      east,bus,2
    `,
    prices: [
      [['bus a b 8:00-8:10'], ['west 2.00 EUR']],
      [['bus c p 8:00-8:10'], ['east 2.20 EUR']],
      [['bus a b c 8:00-8:10'], ['both 4.00 EUR']],
      // Through zones 1 and 2 and back: each counts once.
      [['bus a c b 8:00-8:10'], ['both 4.00 EUR']],
      [['bus a b c d 8:00-8:10'], []],
      // A stop without a zone does not count; an unknown stop may lie anywhere.
      [['bus a e b 8:00-8:10'], ['west 2.00 EUR']],
      [['bus a ? b 8:00-8:10'], []],
      [['bus a b c 8:00-8:10', 'bus c b 8:20-8:30'], ['both 4.00 EUR']],
    ],
  },
  {
    rule: 'of an agency',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers,agency_id
      of-v,2,EUR,,v
      of-w,6,EUR,,w
    `,
    prices: [
      [[toB, toC], ['of-v 2.00 EUR']],
      [
        [toB, toC, toD],
        ['of-v 2.00 EUR', 'of-w 6.00 EUR'],
      ],
      [
        [toD, 'bus d e 9:20-9:30'],
        ['of-w 6.00 EUR', 'of-v 2.00 EUR'],
      ],
    ],
  },
  {
    rule: 'a class whose rules are all bad is valid nowhere',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type
      bad,1,EUR
      # fare_rules.txt
      fare_id,route_id
      bad,no-route
    `,
    prices: [[[toB], []]],
  },
  {
    rule: 'what is free covers a ride and is left out',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      free,0,EUR,
      dear,6,EUR,
      # fare_rules.txt
      fare_id,route_id
      free,bus
      dear,rail
    `,
    prices: [
      [[toB], []],
      [['bus a c 8:00-8:10', toD], ['dear 6.00 EUR']],
      [[toB, toC], []],
    ],
  },
  {
    rule: 'who stays seated does not change: the ticket has no changes, and both routes need a rule',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      town,2,EUR,0
      # fare_rules.txt
      fare_id,route_id
      town,bus
      town,tram
    `,
    prices: [
      [[toB, '+tram b c 8:10-8:30'], ['town 2.00 EUR']],
      [
        [toB, 'tram b c 8:10-8:30'],
        ['town 2.00 EUR', 'town 2.00 EUR'],
      ],
      [[toB, '+rail b c 8:10-8:30'], []],
      // A passenger who stays on board does not end a ride there.
      [['+tram b c 8:10-8:30'], ['town 2.00 EUR']],
    ],
  },
  {
    rule: 'all is paid in one currency, the first of those that do for all rides',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      bus-chf,2,CHF,
      bus-eur,2.10,EUR,
      rail-eur,6,EUR,
      tram-jpy,200,JPY,
      # fare_rules.txt
      fare_id,route_id
      bus-chf,bus
      bus-eur,bus
      rail-eur,rail
      tram-jpy,tram
    `,
    prices: [
      [[toB], ['bus-chf 2.00 CHF']],
      [
        [toB, toD],
        ['bus-eur 2.10 EUR', 'rail-eur 6.00 EUR'],
      ],
      [[toC], ['tram-jpy 200.00 JPY']],
      [[toB, toC], []],
    ],
  },
  {
    rule: 'a ride of a route that nobody knows has no price',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type
      flat,2,EUR
    `,
    prices: [
      [['? a b 8:00-8:10'], []],
      [[toB, '? b c 8:20-8:30'], []],
    ],
  },
];

describe('fares of fare_attributes.txt', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld(Object.fromEntries(cases.map(({ fares }, i) => [`case-${i}`, withFares(fares)])), {
      settings: { merging: mergeNothing },
    });
  }, 120_000);

  it.each(cases.map((one, i) => ({ ...one, source: `case-${i}` })))('$rule', ({ source, prices }) => {
    const found = prices.map(([rides]) => [rides, describeFares(world.timetable, rides, { source })]);
    expect(found).toEqual(prices);
  });
});
