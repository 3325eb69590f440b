import { byNetwork, describeCases, type ProductCase } from './fare-town.ts';

const transferHeader =
  'from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id';

const [busToC, railToD, tramToE] = ['bus a c 8:00-8:30', 'rail c d 9:00-9:30', 'tram d e 9:40-10:00'] as const;

const cases: readonly ProductCase[] = [
  {
    rule: 'type 0: the ride before and the change',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,far,,,,0,more
      far,city,,,,0,
    `,
    prices: [
      [
        [busToC, railToD],
        ['Single 2.50 EUR', 'More 0.70 EUR'],
      ],
      [[railToD, tramToE], ['Far 7.00 EUR']],
      [
        [busToC, railToD, tramToE],
        ['Single 2.50 EUR', 'More 0.70 EUR'],
      ],
    ],
  },
  {
    rule: 'type 1: both rides and the change; what a change is cheaper by is taken off the ticket bought then',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,far,,,,1,less
      far,city,,,,1,more
    `,
    prices: [
      [
        [busToC, railToD],
        ['Single 2.50 EUR', 'Far 6.00 EUR'],
      ],
      [
        [railToD, tramToE],
        ['Far 7.00 EUR', 'More 0.70 EUR', 'Single 2.50 EUR'],
      ],
      [
        [busToC, railToD, tramToE],
        ['Single 2.50 EUR', 'Far 6.00 EUR', 'More 0.70 EUR', 'Single 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'type 2: the change alone; where something was changed before, it is added',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,far,,,,2,both
      far,city,,,,2,more
    `,
    prices: [
      [[busToC, railToD], ['Both 5.50 EUR']],
      [
        [busToC, railToD, tramToE],
        ['Both 5.50 EUR', 'More 0.70 EUR'],
      ],
      [[railToD, tramToE], ['More 0.70 EUR']],
      // The second ride is paid separately; its transfer is free and the first ticket stays.
      [
        ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', railToD],
        ['Single 2.50 EUR', 'Both 5.50 EUR'],
      ],
    ],
  },
  {
    rule: 'what is cheaper by more than the ticket costs is taken off those before',
    fares: `
      # fare_products.txt
      fare_product_id,fare_product_name,amount,currency
      single,Single,2.50,EUR
      far,Far,7,EUR
      less,Less,-3,EUR
      much-less,Much less,-20,EUR
      ${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      far,city,,,,1,less
      city,far,,,,0,much-less
    `,
    prices: [
      [[railToD, tramToE], ['Far 6.50 EUR']],
      [[busToC, railToD], []],
    ],
  },
  {
    rule: 'a rule that fits must be taken, also where two tickets would be cheaper',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,city,-1,,,0,far
    `,
    prices: [
      [
        ['bus a b 8:00-8:10', 'bus b c 8:20-8:30'],
        ['Single 2.50 EUR', 'Far 7.00 EUR'],
      ],
    ],
  },
  {
    rule: 'so many changes on end, by the rule that allows the fewest of those that allow them',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,city,1,,,0,
      city,city,3,,,0,more
    `,
    prices: [
      [['bus a b 8:00-8:10', 'tram b c 8:20-8:30'], ['Single 2.50 EUR']],
      [
        ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'bus c d 8:40-8:50'],
        ['Single 2.50 EUR', 'More 0.70 EUR'],
      ],
      [
        ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'bus c d 8:40-8:50', 'bus d e 9:00-9:10', 'bus e b 9:20-9:30'],
        ['Single 2.50 EUR', 'More 0.70 EUR', 'More 0.70 EUR', 'Single 2.50 EUR'],
      ],
      // A ride of another group ends the count.
      [
        ['bus a b 8:00-8:10', 'tram b c 8:20-8:30', 'rail c d 8:40-8:50', 'bus d e 9:00-9:10', 'bus e b 9:20-9:30'],
        ['Single 2.50 EUR', 'Far 7.00 EUR', 'Single 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'so long, from the first ride that was changed from within the group',
    fares: `${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,city,-1,3600,1,0,
      city,far,,2400,1,0,
    `,
    prices: [
      [['bus a b 8:00-8:10', 'tram b c 8:50-8:55', 'bus c d 9:00-9:30'], ['Single 2.50 EUR']],
      [
        ['bus a b 8:00-8:10', 'tram b c 8:50-8:55', 'bus c d 9:00:01-9:30', 'bus d e 10:00-10:10'],
        ['Single 2.50 EUR', 'Single 2.50 EUR'],
      ],
      // To another group, from the previous ride.
      [['bus a b 8:00-8:10', 'tram b c 8:50-8:55', 'rail c d 9:30-9:40'], ['Single 2.50 EUR']],
      [
        ['bus a b 8:00-8:10', 'tram b c 8:50-8:55', 'rail c d 9:30:01-9:40'],
        ['Single 2.50 EUR', 'Far 7.00 EUR'],
      ],
    ],
  },
  ...(
    [
      // Departure 8:00 and arrival 8:30 of the first ride; departure 9:00 and arrival 9:30 of the last.
      [0, 5400, 5399],
      [1, 3600, 3599],
      [2, 1800, 1799],
      [3, 3600, 3599],
    ] as const
  ).flatMap(([type, enough, tooShort]): ProductCase[] =>
    ([enough, tooShort] as const).map((limit) => ({
      rule: `duration limit type ${type}: ${limit} seconds`,
      fares: `${byNetwork}
        # fare_transfer_rules.txt
        ${transferHeader}
        city,far,,${limit},${type},0,
      `,
      prices: [[[busToC, railToD], limit === enough ? ['Single 2.50 EUR'] : ['Single 2.50 EUR', 'Far 7.00 EUR']]],
    })),
  ),
  {
    rule: 'an empty leg group is all that no other rule names there; a leg rule without a group is in none',
    fares: `
      # fare_leg_rules.txt
      leg_group_id,network_id,from_area_id,fare_product_id,rule_priority
      west,city,west,single,1
      middle,city,middle,long,1
      far,far,,far,1
      ,city,,both,0
      # fare_transfer_rules.txt
      ${transferHeader}
      west,far,,,,0,
      ,middle,,,,0,more
      far,,,,,1,less
      ,,1,,,0,free
    `,
    prices: [
      [[busToC, railToD], ['Single 2.50 EUR']],
      // West is named as origin, so an empty origin does not match it.
      [
        [busToC, 'bus c d 9:00-9:10'],
        ['Single 2.50 EUR', 'Long 4.00 EUR'],
      ],
      [
        ['bus c c 8:00-8:10', 'bus c d 9:00-9:10'],
        ['Long 4.00 EUR', 'More 0.70 EUR'],
      ],
      [
        ['rail c b 8:00-8:10', 'bus b d 9:00-9:10'],
        ['Far 7.00 EUR', 'Single 1.50 EUR'],
      ],
      // From far to middle: far is named as origin, middle as destination.
      [
        ['rail d c 8:00-8:10', 'bus c d 9:00-9:10'],
        ['Far 7.00 EUR', 'Long 4.00 EUR'],
      ],
      // From middle to west neither is named; once.
      [['bus c b 8:00-8:10', 'bus b d 9:00-9:10'], ['Long 4.00 EUR']],
      [
        ['bus c b 8:00-8:10', 'bus d c 9:00-9:10'],
        ['Long 4.00 EUR', 'Both 5.50 EUR'],
      ],
    ],
  },
  {
    rule: 'rules with both groups empty count all transfers that rules have made',
    fares: `
      # fare_leg_rules.txt
      leg_group_id,network_id,fare_product_id
      city,city,single
      far,far,far
      # fare_transfer_rules.txt
      ${transferHeader}
      ,,2,,,0,
    `,
    prices: [
      [[busToC, railToD, tramToE], ['Single 2.50 EUR']],
      [
        [busToC, railToD, tramToE, 'bus e d 10:10-10:20'],
        ['Single 2.50 EUR', 'Single 2.50 EUR'],
      ],
    ],
  },
  {
    rule: 'a rule whose product is for others only is for them',
    fares: `
      # rider_categories.txt
      rider_category_id,is_default_fare_category
      child,0
      # fare_products.txt
      fare_product_id,fare_product_name,rider_category_id,amount,currency
      single,Single,,2.50,EUR
      far,Far,,7,EUR
      change,Change,child,0,EUR
      ${byNetwork}
      # fare_transfer_rules.txt
      ${transferHeader}
      city,far,,,,0,change
    `,
    prices: [
      [
        [busToC, railToD],
        ['Single 2.50 EUR', 'Far 7.00 EUR'],
      ],
    ],
  },
  {
    rule: 'of leg rules that fit alike, the one whose transfers are the cheapest in total',
    fares: `
      # fare_leg_rules.txt
      leg_group_id,network_id,fare_product_id
      short,city,single
      day,city,long
      far,far,far
      # fare_transfer_rules.txt
      ${transferHeader}
      day,day,-1,,,0,
      day,far,,,,0,more
    `,
    prices: [
      [[busToC], ['Single 2.50 EUR']],
      [['bus a b 8:00-8:10', 'bus b c 8:20-8:30'], ['Long 4.00 EUR']],
      [
        [busToC, railToD],
        ['Long 4.00 EUR', 'More 0.70 EUR'],
      ],
    ],
  },
];

describeCases('what a change costs by fares of the second generation', cases);
