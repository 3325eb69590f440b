import { expect, it } from 'vitest';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { stageFeed } from '../../support/worlds/stage-feed.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

/** Rows of a typed table, each as its values. */
async function stage(files: Readonly<Record<string, string>>, select: string): Promise<unknown[][]> {
  const { db } = await stageFeed(withFiles(soundFeed, files));
  return (await db.query(select)).map((row) =>
    Object.values(row).map((value) => (value === null ? '-' : String(value))),
  );
}

it('reads prices as decimals in hundredths', async () => {
  const prices = ['2.5', '0', '.5', '1.005', '1.004999', '2.7999999523162842', '200', '999999999.99', '0.29', '1.15'];
  const rows = prices.map((price, i) => `f${i},${price},EUR\n`).join('');
  expect(
    await stage(
      { 'fare_attributes.txt': `fare_id,price,currency_type\n${rows}` },
      'select amount_cents from fare_attributes',
    ),
  ).toEqual([['250'], ['0'], ['50'], ['101'], ['100'], ['280'], ['20000'], ['99999999999'], ['29'], ['115']]);
});

it('distinguishes a fare class without rules from one with only invalid rules', async () => {
  const files = {
    'fare_attributes.txt': 'fare_id,price,currency_type\nfree,1,EUR\nbad,1,EUR\ngood,1,EUR\n',
    'fare_rules.txt': 'fare_id,route_id\nbad,no-route\ngood,r\ngood,no-route\n',
  };
  expect(await stage(files, 'select fare_id, has_rules from fare_attributes order by fare_id')).toEqual([
    ['bad', 'true'],
    ['free', 'false'],
    ['good', 'true'],
  ]);
});

const legRules = {
  'networks.txt': 'network_id\ncity\n',
  'fare_products.txt': 'fare_product_id,amount,currency\nsingle,2.50,EUR\n',
};

it.each([
  ['network_id,fare_product_id,rule_priority\ncity,single,2\n,single,\n', ['2', '0']],
  ['network_id,fare_product_id,Rule_Priority\ncity,single,\n,single,\n', ['0', '0']],
  ['network_id,fare_product_id\ncity,single\n,single\n', ['-', '-']],
])('detects whether leg rules have priorities: %s', async (rules, priorities) => {
  const staged = await stage(
    { ...legRules, 'fare_leg_rules.txt': rules },
    'select rule_priority from fare_leg_rules order by network_id nulls last',
  );
  expect(staged.map(([priority]) => priority)).toEqual(priorities);
});

it('reads the network of a route from either file', async () => {
  const files = {
    'routes.txt': 'route_id,route_type,network_id\nr,3,old\nq,3,old\np,3,\n',
    'networks.txt': 'network_id\ncity\n',
    'route_networks.txt': 'network_id,route_id\ncity,r\n',
  };
  expect(await stage(files, 'select route_id, network_id from fare_routes join routes using (route_index)')).toEqual([
    ['q', 'old'],
    ['r', 'city'],
  ]);
});

it('uses the time zone of the station for its platforms', async () => {
  const files = {
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,zone_id,stop_timezone
      a,Anger,48,16,,s,1,Europe/London
      b,Berg,48,16,,,,Europe/London
      c,Kirche,48,16,,,2,
      s,Station,48,16,1,,,Europe/Paris
      `,
  };
  const select = 'select stop_id, zone_id, time_zone from fare_stops join stops using (stop_index) order by stop_id';
  expect(await stage(files, select)).toEqual([
    ['a', '1', 'Europe/Paris'],
    ['b', '-', 'Europe/London'],
    ['c', '2', '-'],
    ['s', '-', 'Europe/Paris'],
  ]);
});

it('counts transfers only within one leg group', async () => {
  const files = {
    'fare_products.txt': 'fare_product_id,amount,currency\nsingle,2.50,EUR\nday,5,EUR\n',
    'fare_leg_rules.txt': 'leg_group_id,fare_product_id\na,single\nb,day\n',
    'fare_transfer_rules.txt': `
      from_leg_group_id,to_leg_group_id,transfer_count,fare_transfer_type
      a,a,2,0
      a,b,2,0
      b,b,-1,0
      ,,1,0
      `,
  };
  const select = 'select from_leg_group_id, to_leg_group_id, transfer_count from fare_transfer_rules order by all';
  expect(await stage(files, select)).toEqual([
    ['a', 'a', '2'],
    ['a', 'b', '-'],
    ['b', 'b', '-'],
    ['-', '-', '1'],
  ]);
});
