import type { SampleLine, SamplePlace } from './lookups.ts';

/** A city, or several that share their tickets. */
export interface CityFare {
  /** Also the id of its operator. */
  readonly network: string;
  readonly name: string;
  readonly euros: string;
  /** Validity of a single ticket. */
  readonly hours: number;
  /** A stop belongs to the area whose prefix its id begins with. */
  readonly areas: readonly { readonly id: string; readonly name: string; readonly prefix: string }[];
}

export const cityFares: readonly CityFare[] = [
  city('wien', 'Wien', '3.00', 2, 'at:49:'),
  city('graz', 'Graz', '3.10', 1, 'at:46:graz'),
  city('linz', 'Linz', '2.90', 1, 'at:44:linz'),
  city('salzburg', 'Salzburg', '3.00', 1, 'at:45:salzburg'),
  city('innsbruck', 'Innsbruck', '3.00', 1, 'at:47:innsbruck'),
  {
    network: 'kaernten',
    name: 'Kärnten',
    euros: '2.40',
    hours: 1,
    areas: [
      { id: 'klagenfurt', name: 'Klagenfurt', prefix: 'at:42:klagenfurt' },
      { id: 'villach', name: 'Villach', prefix: 'at:42:villach' },
    ],
  },
  {
    network: 'vorarlberg',
    name: 'Vorarlberg',
    euros: '2.20',
    hours: 1,
    areas: [{ id: 'bregenz', name: 'Bregenz', prefix: 'at:48:bregenz' }],
  },
];

function city(id: string, name: string, euros: string, hours: number, prefix: string): CityFare {
  return { network: id, name, euros, hours, areas: [{ id, name, prefix }] };
}

/** Networks whose prices depend on the distance between zones. */
export const distanceNetworks = ['bahn', 'schiff'] as const;

/** The network in which tickets of a line are valid: trains of all operators share one. */
export function networkOf({ mode, agency }: SampleLine): string {
  return mode === 'rail' || mode === 's_bahn' ? 'bahn' : agency;
}

export interface FareZone {
  readonly id: string;
  readonly name: string;
}

/** Height and width of a zone outside of cities: about 17 km. */
const ZONE_LAT_DEGREES = 0.15;
const ZONE_LON_DEGREES = 0.22;

/** The city of a place, or else the cell of a grid, named after the place. */
export function zoneOf({ id, name, lat, lon }: SamplePlace): FareZone {
  const area = findCityArea(id);
  if (area) return area;
  return {
    id: `zone-${Math.floor(lat / ZONE_LAT_DEGREES)}-${Math.floor(lon / ZONE_LON_DEGREES)}`,
    name: `Zone ${name}`,
  };
}

/** @returns null outside of the cities */
export function findCityArea(placeId: string): FareZone | null {
  return cityFares.flatMap(({ areas }) => areas).find(({ prefix }) => placeId.startsWith(prefix)) ?? null;
}
