import type { Coord, StopKind } from '../../api/contract/definitions.ts';
import type { PlacesIndex } from '../../api/engine/places/place-index.ts';
import { getPlaceId, locatePlace, nameShort } from '../../api/engine/places/present-place.ts';
import { searchPlaces } from '../../api/engine/places/search-places.ts';
import { makeRandom } from './made-up-stops.ts';
import type { Metric } from './metric.ts';

const ADDRESSES = 1000;
const PLACES = 300;
const SEED = 33;
const LISTED = 5;

/** A row drawn from the index, and what a rider would type to find it. */
interface Target {
  readonly id: string;
  readonly coord: Coord;
  readonly kind: StopKind;
  readonly name: string;
  readonly town: string;
  readonly postcode: string;
}

/** Queries for a row, by the name in the table. */
const ways: Readonly<Record<string, (target: Target, random: () => number) => string>> = {
  'name and town': ({ name, town }) => `${name}, ${town}`,
  'town first': ({ name, town }) => `${town} ${name}`,
  prefix: ({ name, town }) => `${town} ${name.slice(0, Math.max(3, Math.ceil(name.length * 0.7)))}`,
  'typing error': ({ name, town }, random) => `${mistype(name, random)}, ${town}`,
  'without town, near by': ({ name }) => name,
  'with postcode': ({ name, postcode, town }) => `${postcode} ${town}, ${name}`,
};

/**
 * Hits at 1 and at 5 for addresses and places drawn from the index. A hit is the row itself, or another of the same name
 * within the same town: two houses "12" of one street have equal names.
 */
export function measurePlaceQuality(where: string, index: PlacesIndex): Metric[] {
  const random = makeRandom(SEED);
  const samples = { addresses: drawAddresses(index, random), places: drawPlaces(index, random) };
  return Object.entries(samples).flatMap(([what, targets]) =>
    Object.entries(ways).flatMap(([way, write]) => {
      if (what === 'addresses' && way === 'prefix') return [];
      if (what === 'places' && way === 'with postcode') return [];
      const ranks = targets.map((target) => findRank(index, target, write(target, random), way.includes('near by')));
      const share = (most: number) => (100 * ranks.filter((rank) => rank < most).length) / ranks.length;
      return [1, LISTED].map((most) => ({
        name: `places: ${where}, ${targets.length} ${what}, ${way}, hit at ${most}`,
        value: share(most),
        unit: '%',
      }));
    }),
  );
}

function drawAddresses(index: PlacesIndex, random: () => number): Target[] {
  const { placeHouses, placeStreets, places, placeTowns, placePostcodes } = index.tables;
  const streetOf = new Uint32Array(placeHouses.ref.length);
  for (let street = 0; street < index.streetCount; street++) {
    streetOf.fill(street, placeStreets.firstHouse[street], placeStreets.firstHouse[street + 1]);
  }
  return draw(ADDRESSES, placeHouses.ref.length, random).map((house) => {
    const row = { place: streetOf[house]!, house };
    return {
      id: getPlaceId(index, row),
      coord: locatePlace(index, row),
      kind: 'address',
      name: nameShort(index, row),
      town: placeTowns.name.get(places.town[row.place]!),
      postcode: placePostcodes.text.get(placeHouses.postcode[house]!),
    };
  });
}

function drawPlaces(index: PlacesIndex, random: () => number): Target[] {
  const { places, placeTowns } = index.tables;
  const count = places.ref.length - index.streetCount;
  return draw(PLACES, count, random).map((at) => {
    const row = { place: index.streetCount + at, house: -1 };
    const town = placeTowns.name.get(places.town[row.place]!);
    return {
      id: getPlaceId(index, row),
      coord: locatePlace(index, row),
      kind: 'poi',
      name: nameShort(index, row),
      town,
      postcode: '',
    };
  });
}

function draw(wanted: number, count: number, random: () => number): number[] {
  const drawn = new Set<number>();
  while (drawn.size < Math.min(wanted, count)) drawn.add(Math.floor(random() * count));
  return [...drawn];
}

function findRank(index: PlacesIndex, target: Target, query: string, isNearBy: boolean): number {
  const kinds = ['poi', 'address'] as const;
  const options = { query, limit: LISTED, kinds, ...(isNearBy ? { bias: target.coord } : {}) };
  const rank = searchPlaces(index, options).findIndex((row) => {
    const town = index.tables.placeTowns.name.get(index.tables.places.town[row.place]!);
    return getPlaceId(index, row) === target.id || (nameShort(index, row) === target.name && town === target.town);
  });
  return rank < 0 ? Infinity : rank;
}

/** One letter of the name is left out, doubled or swapped with the next one. */
function mistype(name: string, random: () => number): string {
  const letters = [...name].flatMap((letter, i) => (/\p{L}/u.test(letter) && i > 0 ? [i] : []));
  const at = letters[Math.floor(random() * letters.length)] ?? 0;
  const kind = random();
  if (kind < 0.34) return name.slice(0, at) + name.slice(at + 1);
  if (kind < 0.67) return name.slice(0, at) + name[at] + name.slice(at);
  return name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2);
}
