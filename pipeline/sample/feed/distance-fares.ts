import { distanceMeters } from '../../model/geo.ts';
import type { SampleRow } from './csv.ts';
import { cityFares, distanceNetworks, type FareZone, findCityArea, networkOf, zoneOf } from './fare-zones.ts';
import type { SampleLookups, SamplePlace } from './lookups.ts';

/** Rows of the tables of fares v2. */
export interface DistanceFares {
  readonly areas: SampleRow[];
  readonly stopAreas: SampleRow[];
  readonly products: readonly SampleRow[];
  /** Without the priority. */
  readonly legs: readonly SampleRow[];
}

type DistanceNetwork = (typeof distanceNetworks)[number];

const ticketNames: Readonly<Record<DistanceNetwork, string>> = { bahn: 'Bahnfahrt', schiff: 'Schifffahrt' };

/** Tracks and rivers are longer than the straight line. */
const DETOUR = 1.25;

/**
 * Prices of trains and ships by the distance between zones: the cities, and cells of a grid elsewhere. Each pair of zones
 * of a network has a rule, as GTFS has no prices by distance.
 */
export function buildDistanceFares({ places, lines }: SampleLookups): DistanceFares {
  const zones = new Map<string, PlacedZone>();
  const stopAreas: SampleRow[] = [];
  const legs: SampleRow[] = [];
  const bands = new Map<string, SampleRow>();
  const served = distanceNetworks.map((network) => {
    const ids = lines
      .filter((line) => networkOf(line) === network)
      .flatMap(({ calls }) => calls.map(({ place }) => place.id));
    return { network, ids: new Set(ids) };
  });
  const isServed = ({ id }: SamplePlace) => served.some(({ ids }) => ids.has(id));
  for (const place of places) {
    if (!isServed(place) && findCityArea(place.id) === null) continue;
    const zone = zoneOf(place);
    const known = zones.get(zone.id) ?? { ...zone, places: [] };
    zones.set(zone.id, known);
    known.places.push(place);
    stopAreas.push([zone.id, place.id]);
  }
  for (const { network, ids } of served) {
    const ofNetwork = [...zones.values()].filter((zone) => zone.places.some(({ id }) => ids.has(id)));
    for (const { from, to, km } of listPairs(network, ofNetwork)) {
      const product = `${network}-${km}`;
      bands.set(product, [product, `${ticketNames[network]} bis ${km} km`, priceOf(km), 'EUR']);
      legs.push([`${network}-leg`, network, from.id, to.id, product]);
    }
  }
  const areas = [...zones.values()].map(({ id, name }) => [id, name]);
  return { areas, stopAreas, products: [...bands.values()], legs };
}

interface PlacedZone extends FareZone {
  readonly places: SamplePlace[];
}

interface ZonePair {
  readonly from: FareZone;
  readonly to: FareZone;
  /** Upper end of the band of distances. */
  readonly km: number;
}

/** All pairs of zones, except a city with itself in the network whose trains its tickets include. */
function listPairs(network: DistanceNetwork, zones: readonly PlacedZone[]): ZonePair[] {
  const centred = zones.map((zone) => ({ zone, centre: centreOf(zone) }));
  return centred.flatMap(({ zone: from, centre: a }) =>
    centred.flatMap(({ zone: to, centre: b }) => {
      if (from === to && network === 'bahn' && isCity(from)) return [];
      return { from, to, km: bandOf((DETOUR * distanceMeters(a.lat, a.lon, b.lat, b.lon)) / 1000) };
    }),
  );
}

function isCity({ id }: FareZone): boolean {
  return cityFares.some(({ areas }) => areas.some((area) => area.id === id));
}

function centreOf({ places }: PlacedZone): { readonly lat: number; readonly lon: number } {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { lat: mean(places.map(({ lat }) => lat)), lon: mean(places.map(({ lon }) => lon)) };
}

/** Bands of 10 km up to 50, of 25 up to 150, of 50 beyond. */
function bandOf(km: number): number {
  const step = km <= 50 ? 10 : km <= 150 ? 25 : 50;
  return Math.max(step, Math.ceil(km / step) * step);
}

/** Falls per kilometre with the distance; whole ten cents. */
function priceOf(km: number): string {
  const euros = 1.2 + 0.16 * Math.min(km, 100) + 0.11 * Math.max(0, km - 100);
  return (Math.round(euros * 10) / 10).toFixed(2);
}
