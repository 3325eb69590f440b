import type { SampleTable } from './csv.ts';
import type { SampleLine } from './lookups.ts';
import type { SampleStops } from './stops-table.ts';

/** Made-up prices; one area and one network per city, so that both generations of fares say the same. */
const cityFares = [
  { area: 'wien', name: 'Wien', prefix: 'at:49:', euros: '3.00', hours: 2 },
  { area: 'graz', name: 'Graz', prefix: 'at:46:graz', euros: '3.10', hours: 1 },
  { area: 'linz', name: 'Linz', prefix: 'at:44:linz', euros: '2.90', hours: 1 },
  { area: 'salzburg', name: 'Salzburg', prefix: 'at:45:salzburg', euros: '3.00', hours: 1 },
  { area: 'innsbruck', name: 'Innsbruck', prefix: 'at:47:innsbruck', euros: '3.00', hours: 1 },
] as const;

/** Fares v1 (fare_attributes, fare_rules) and v2 (areas to transfer rules), by file name. */
export function buildFareTables(lines: readonly SampleLine[], stops: SampleStops): [string, SampleTable][] {
  const cityLines = lines.flatMap((line) => {
    const fare = cityFares.find(({ area }) => area === line.agency);
    return fare ? [{ line, fare }] : [];
  });
  return [
    [
      'fare_attributes.txt',
      {
        header: ['fare_id', 'price', 'currency_type', 'payment_method', 'transfers', 'agency_id', 'transfer_duration'],
        rows: cityFares.map(({ area, euros, hours }) => [`${area}-single`, euros, 'EUR', 1, '', area, hours * 3600]),
      },
    ],
    [
      'fare_rules.txt',
      { header: ['fare_id', 'route_id'], rows: cityLines.map(({ line, fare }) => [`${fare.area}-single`, line.id]) },
    ],
    [
      'networks.txt',
      { header: ['network_id', 'network_name'], rows: cityFares.map(({ area, name }) => [area, `Stadtnetz ${name}`]) },
    ],
    [
      'route_networks.txt',
      { header: ['network_id', 'route_id'], rows: cityLines.map(({ line, fare }) => [fare.area, line.id]) },
    ],
    ['areas.txt', { header: ['area_id', 'area_name'], rows: cityFares.map(({ area, name }) => [area, name]) }],
    ['stop_areas.txt', { header: ['area_id', 'stop_id'], rows: stopAreaRows(stops) }],
    ['fare_products.txt', fareProducts()],
    [
      'fare_leg_rules.txt',
      {
        header: ['leg_group_id', 'network_id', 'from_area_id', 'to_area_id', 'fare_product_id'],
        rows: cityFares.map(({ area }) => [`${area}-leg`, area, area, area, `${area}-single`]),
      },
    ],
    [
      'fare_transfer_rules.txt',
      {
        header: [
          'from_leg_group_id',
          'to_leg_group_id',
          'transfer_count',
          'duration_limit',
          'duration_limit_type',
          'fare_transfer_type',
          'fare_product_id',
        ],
        // Changing within the city costs nothing more while the ticket lasts.
        rows: cityFares.map(({ area, hours }) => [`${area}-leg`, `${area}-leg`, -1, hours * 3600, 1, 0, '']),
      },
    ],
  ];
}

function stopAreaRows(stops: SampleStops): SampleTable['rows'] {
  return stops.stations.flatMap(({ id }) => {
    const fare = cityFares.find(({ prefix }) => id.startsWith(prefix));
    return fare ? [[fare.area, id]] : [];
  });
}

function fareProducts(): SampleTable {
  const header = ['fare_product_id', 'fare_product_name', 'amount', 'currency'];
  const rows = cityFares.flatMap(({ area, name, euros }) => [
    [`${area}-single`, `Einzelfahrt ${name}`, euros, 'EUR'],
    [`${area}-day`, `Tageskarte ${name}`, (Number(euros) * 2.6).toFixed(2), 'EUR'],
  ]);
  return { header, rows };
}
