import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { byNetwork, describeCases, type ProductCase } from './fare-town.ts';

const FRIDAY = '2026-03-06' as ServiceDate;

const [toB, toC, toD] = ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'rail c d 8:40-9:10'] as const;

const cases: readonly ProductCase[] = [
  {
    rule: 'each ride by itself, if there are no transfer rules',
    fares: byNetwork,
    prices: [
      [[], []],
      [[toB], ['Single 2.50 EUR']],
      [
        [toB, toC],
        ['Single 2.50 EUR', 'Single 2.50 EUR'],
      ],
      [
        [toD, 'bus d e 9:20-9:30'],
        ['Far 7.00 EUR', 'Single 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'a product without a name goes by its id; of rules that fit alike, the cheapest',
    fares: `
      # fare_products.txt
      fare_product_id,amount,currency
      b,2.60,EUR
      a,2.60,EUR
      z,2.70,EUR
      # fare_leg_rules.txt
      fare_product_id
      z
      b
      a
    `,
    prices: [[[toB], ['a 2.60 EUR']]],
  },
  {
    rule: 'without priorities, an empty field is all that no other rule names',
    fares: `
      # fare_leg_rules.txt
      network_id,from_area_id,to_area_id,fare_product_id
      city,west,west,single
      ,west,west,free
      city,,west,long
      city,west,,both
      ,east,,more
    `,
    prices: [
      // Only the rule of the city: an empty network does not match networks that are named.
      [[toB], ['Single 2.50 EUR']],
      // No rule names the network of rail, so the empty network applies: "far".
      [['rail a b 8:00-8:10'], []],
      [['rail d c 8:00-8:10'], ['More 0.70 EUR']],
      // From middle, which no rule names as origin; e is in no area.
      [['bus c b 8:00-8:10'], ['Long 4.00 EUR']],
      [['bus e b 8:00-8:10'], ['Long 4.00 EUR']],
      [['bus a c 8:00-8:10'], ['Both 5.50 EUR']],
      // East is named as origin, so an empty origin does not match it; west is named as destination.
      [['bus d b 8:00-8:10'], []],
    ],
  },
  {
    rule: 'with priorities, an empty field is anything, and the highest rules of those that fit are taken',
    fares: `
      # fare_leg_rules.txt
      network_id,from_area_id,to_area_id,fare_product_id,rule_priority
      ,,,both,
      city,,,long,1
      city,west,west,single,2
      ,east,,far,2
      ,,east,more,2
    `,
    prices: [
      [[toB], ['Single 2.50 EUR']],
      [['bus b c 8:00-8:10'], ['Long 4.00 EUR']],
      [['rail a b 8:00-8:10'], ['Both 5.50 EUR']],
      [['rail ? b 8:00-8:10'], ['Both 5.50 EUR']],
      [['rail d b 8:00-8:10'], ['Far 7.00 EUR']],
      // Two with the highest priority: the cheaper one.
      [['rail d d 8:00-8:10'], ['More 0.70 EUR']],
    ],
  },
  {
    rule: "a station's areas apply to its platforms, unless they have their own; a stop may be in several",
    fares: `
      # stop_areas.txt
      area_id,stop_id
      west,a
      middle,s
      east,q
      east,c
      middle,c
      # fare_leg_rules.txt
      from_area_id,to_area_id,fare_product_id
      west,middle,single
      west,east,long
    `,
    prices: [
      [['bus a p 8:00-8:10'], ['Single 2.50 EUR']],
      [['bus a q 8:00-8:10'], ['Long 4.00 EUR']],
      [['bus a c 8:00-8:10'], ['Single 2.50 EUR']],
      [['bus a b 8:00-8:10'], []],
      [['bus a ? 8:00-8:10'], []],
    ],
  },
  {
    rule: 'of the hour: by clock and calendar where one boards and alights, and not by service day',
    fares: `
      # timeframes.txt
      timeframe_group_id,start_time,end_time,service_id
      peak,06:00:00,09:00:00,daily
      evening,18:00:00,24:00:00,daily
      weekend,,,weekend
      # fare_leg_rules.txt
      network_id,from_timeframe_group_id,to_timeframe_group_id,fare_product_id,rule_priority
      city,,,single,0
      city,peak,,long,1
      city,,evening,more,1
      city,weekend,,free,2
      far,,weekend,both,0
    `,
    prices: [
      [['bus a b 5:59:59-8:10'], ['Single 2.50 EUR']],
      [['bus a b 6:00-8:10'], ['Long 4.00 EUR']],
      [['bus a b 8:59:59-9:10'], ['Long 4.00 EUR']],
      [['bus a b 9:00-9:10'], ['Single 2.50 EUR']],
      [['bus a b 17:40-18:00'], ['More 0.70 EUR']],
      [['bus a b 23:40-23:59:59'], ['More 0.70 EUR']],
      [['bus a b 23:40-24:00'], ['Single 2.50 EUR']],
      // A quarter past midnight on a Saturday, which is still the Friday service day.
      [['bus a b 23:59-24:30', 'rail b c 24:31-24:40'], ['Single 2.50 EUR', 'Both 5.50 EUR'], FRIDAY],
      [['bus a b 24:15-24:30', 'rail b c 24:31-24:40'], ['Both 5.50 EUR'], FRIDAY],
      [['rail b c 8:00-8:10'], []],
      // In London it is an hour earlier.
      [['bus l b 9:59-10:30'], ['Long 4.00 EUR']],
      [['bus l b 6:59-10:30'], ['Single 2.50 EUR']],
    ],
  },
  {
    rule: 'what everybody pays: the default category or none; on the cheapest medium',
    fares: `
      # rider_categories.txt
      rider_category_id,rider_category_name,is_default_fare_category
      adult,Adult,1
      child,Child,0
      # fare_media.txt
      fare_media_id,fare_media_type
      paper,1
      app,4
      # fare_products.txt
      fare_product_id,fare_product_name,rider_category_id,fare_media_id,amount,currency
      single,Single,child,app,1,EUR
      single,Single,adult,paper,2.60,EUR
      single,Single in the app,adult,app,2.40,EUR
      pupil,Pupil,child,,0.50,EUR
      any,Any,,,6,EUR
      # fare_leg_rules.txt
      network_id,fare_product_id,rule_priority
      city,single,1
      city,pupil,2
      far,pupil,1
      far,any,0
    `,
    prices: [
      [[toB], ['Single in the app 2.40 EUR']],
      [[toD], ['Any 6.00 EUR']],
    ],
  },
  {
    rule: 'all rides of a feed are paid in one currency',
    fares: `
      # fare_products.txt
      fare_product_id,fare_product_name,amount,currency
      single,Single,2.50,EUR
      single,Single,2.40,CHF
      far,Far,7,EUR
      # fare_leg_rules.txt
      network_id,fare_product_id
      city,single
      far,far
    `,
    prices: [
      [[toB], ['Single 2.40 CHF']],
      [
        [toB, toD],
        ['Single 2.50 EUR', 'Far 7.00 EUR'],
      ],
    ],
  },
  {
    rule: 'rides that are joined are one: from the first to the last',
    fares: `
      # fare_leg_join_rules.txt
      from_network_id,to_network_id,from_stop_id,to_stop_id
      city,city,,
      far,far,c,s
      # fare_leg_rules.txt
      network_id,from_area_id,to_area_id,fare_product_id
      city,west,west,single
      city,west,middle,long
      city,west,east,both
      far,west,middle,far
    `,
    prices: [
      [[toB, toC], ['Long 4.00 EUR']],
      // No leg rule gives a ride from the middle to the east a price.
      [[toB, toC, 'bus c d 8:40-8:50'], ['Both 5.50 EUR']],
      [['bus a p 8:00-8:10', 'tram q d 8:20-8:30'], ['Both 5.50 EUR']],
      [['bus a p 8:00-8:10', 'tram c d 8:20-8:30'], []],
      [
        [toB, 'rail b c 8:20-8:30'],
        ['Single 2.50 EUR', 'Far 7.00 EUR'],
      ],
      [['rail a c 8:00-8:10', 'rail q p 8:20-8:30'], ['Far 7.00 EUR']],
      [['rail a c 8:00-8:10', 'rail c p 8:20-8:30'], []],
    ],
  },
  {
    rule: 'rides over two networks that are joined are on none',
    fares: `
      # fare_leg_join_rules.txt
      from_network_id,to_network_id
      city,far
      # fare_leg_rules.txt
      network_id,fare_product_id,rule_priority
      city,single,1
      far,far,1
      ,both,0
    `,
    prices: [
      [[toB, 'rail b c 8:20-8:30'], ['Both 5.50 EUR']],
      [
        ['rail a b 8:00-8:10', 'bus b c 8:20-8:30'],
        ['Far 7.00 EUR', 'Single 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'who stays seated is on one ride',
    fares: `
      # fare_leg_rules.txt
      network_id,from_area_id,to_area_id,fare_product_id
      city,west,west,single
      city,west,middle,long
    `,
    prices: [
      [[toB, '+tram b c 8:10-8:30'], ['Long 4.00 EUR']],
      [
        [toB, 'tram b c 8:10-8:30'],
        ['Single 2.50 EUR', 'Long 4.00 EUR'],
      ],
    ],
  },
  {
    rule: 'what is free covers a ride and is left out',
    fares: `
      # fare_leg_rules.txt
      network_id,fare_product_id
      city,free
      far,far
    `,
    prices: [
      [[toB], []],
      [[toB, toD], ['Far 7.00 EUR']],
    ],
  },
  {
    rule: 'where the second generation does not cover all rides of the feed, the first is asked',
    fares: `
      # fare_attributes.txt
      fare_id,price,currency_type,transfers
      flat,3,EUR,
      # fare_rules.txt
      fare_id,route_id
      flat,bus
      flat,rail
      # fare_leg_rules.txt
      network_id,fare_product_id
      city,single
    `,
    prices: [
      [[toB], ['Single 2.50 EUR']],
      [[toB, toD], ['flat 3.00 EUR']],
      [[toC, toD], []],
    ],
  },
];

describeCases('fares of the second generation', cases);
