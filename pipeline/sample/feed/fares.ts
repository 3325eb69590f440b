import type { SampleRow, SampleTable } from './csv.ts';
import { buildDistanceFares, type DistanceFares } from './distance-fares.ts';
import { type CityFare, cityFares, networkOf } from './fare-zones.ts';
import type { SampleLine, SampleLookups } from './lookups.ts';

/** Ticket for all lines of all networks on one day; cheaper than the distance from about 400 km on. */
const countryDay = { id: 'country-day', name: 'Tageskarte Österreich', euros: '59.00' } as const;
/** A day ticket of a city costs this many single tickets. */
const DAY_SINGLES = 2.6;
const DAY_SECONDS = 86_400;
/** Without priorities, an empty field would match only stops that no rule names. */
const PRIORITY = 1;

/**
 * Made-up prices: fares v1 (fare_attributes, fare_rules) of the cities, and fares v2 (areas to transfer rules) of
 * everything. In a city both give the same result. Trains and ships are priced by distance.
 */
export function buildFareTables(lookups: SampleLookups): [string, SampleTable][] {
  const distances = buildDistanceFares(lookups);
  return [...buildCityClasses(lookups.lines), ...buildNetworks(lookups.lines), ...buildProducts(distances)];
}

function buildCityClasses(lines: readonly SampleLine[]): [string, SampleTable][] {
  const cityLines = lines.flatMap((line) => {
    const fare = cityFares.find(({ network }) => network === networkOf(line));
    return fare ? [[`${fare.network}-single`, line.id]] : [];
  });
  return [
    [
      'fare_attributes.txt',
      {
        header: ['fare_id', 'price', 'currency_type', 'payment_method', 'transfers', 'agency_id', 'transfer_duration'],
        rows: cityFares.map(({ network, euros, hours }) => {
          return [`${network}-single`, euros, 'EUR', 1, '', network, hours * 3600];
        }),
      },
    ],
    ['fare_rules.txt', { header: ['fare_id', 'route_id'], rows: cityLines }],
  ];
}

function buildNetworks(lines: readonly SampleLine[]): [string, SampleTable][] {
  const names: SampleRow[] = cityFares.map(({ network, name }) => [network, `Stadtnetz ${name}`]);
  names.push(['bahn', 'Bahn'], ['schiff', 'Schiff']);
  return [
    ['networks.txt', { header: ['network_id', 'network_name'], rows: names }],
    [
      'route_networks.txt',
      { header: ['network_id', 'route_id'], rows: lines.map((line) => [networkOf(line), line.id]) },
    ],
  ];
}

function buildProducts({ areas, stopAreas, products, legs }: DistanceFares): [string, SampleTable][] {
  return [
    ['areas.txt', { header: ['area_id', 'area_name'], rows: areas }],
    ['stop_areas.txt', { header: ['area_id', 'stop_id'], rows: stopAreas }],
    [
      'fare_products.txt',
      {
        header: ['fare_product_id', 'fare_product_name', 'amount', 'currency'],
        rows: [
          ...cityFares.flatMap(cityProducts),
          ...products,
          [countryDay.id, countryDay.name, countryDay.euros, 'EUR'],
        ],
      },
    ],
    [
      'fare_leg_rules.txt',
      {
        header: ['leg_group_id', 'network_id', 'from_area_id', 'to_area_id', 'fare_product_id', 'rule_priority'],
        rows: [...listCityLegs(), ...legs, ...listDayLegs()].map((row) => [...row, PRIORITY]),
      },
    ],
    // Changing between trains at a station does not interrupt a train ticket.
    [
      'fare_leg_join_rules.txt',
      { header: ['from_network_id', 'to_network_id', 'from_stop_id', 'to_stop_id'], rows: [['bahn', 'bahn', '', '']] },
    ],
    ['fare_transfer_rules.txt', buildTransferRules()],
  ];
}

function cityProducts({ network, name, euros }: CityFare): SampleRow[] {
  return [
    [`${network}-single`, `Einzelfahrt ${name}`, euros, 'EUR'],
    [`${network}-day`, `Tageskarte ${name}`, (Number(euros) * DAY_SINGLES).toFixed(2), 'EUR'],
  ];
}

/** Tickets of a city are valid on all of its lines, also beyond its border, and on trains within it. */
function listCityLegs(): SampleRow[] {
  return cityFares.flatMap((fare) => {
    const within = fare.areas.map(({ id }) => ['bahn', id, id] as const);
    return [[fare.network, '', ''] as const, ...within].flatMap((where) =>
      (['single', 'day'] as const).map((ticket) => [legGroup(fare, ticket), ...where, `${fare.network}-${ticket}`]),
    );
  });
}

function legGroup({ network }: CityFare, ticket: 'single' | 'day'): string {
  return `${network}-${ticket}-leg`;
}

function listDayLegs(): SampleRow[] {
  const networks = [...cityFares.map(({ network }) => network), 'bahn'];
  return networks.map((network) => [`${countryDay.id}-leg`, network, '', '', countryDay.id]);
}

/** Transfers are free while a ticket is valid. */
function buildTransferRules(): SampleTable {
  const free = (group: string, seconds: number): SampleRow => [group, group, -1, seconds, 1, 0, ''];
  return {
    header: [
      'from_leg_group_id',
      'to_leg_group_id',
      'transfer_count',
      'duration_limit',
      'duration_limit_type',
      'fare_transfer_type',
      'fare_product_id',
    ],
    rows: [
      ...cityFares.flatMap((fare) => [
        free(legGroup(fare, 'single'), fare.hours * 3600),
        free(legGroup(fare, 'day'), DAY_SECONDS),
      ]),
      free(`${countryDay.id}-leg`, DAY_SECONDS),
    ],
  };
}
