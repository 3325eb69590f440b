import { TextColumn } from '../model/column.ts';
import { distanceMeters } from '../model/geo.ts';
import { toPlaceRef } from '../model/place-id.ts';
import { hashWord } from '../model/search-index.ts';
import { nameWords } from '../model/stop-name.ts';
import {
  cellOf,
  PLACE_UNITS_PER_DEGREE,
  type PlaceKind,
  type PlaceTables,
  placeKinds,
} from '../snapshots/places-contract.ts';
import { toSearchTables } from '../snapshots/search-tables.ts';
import { buildSearchIndex, type SearchEntry } from '../timetable/snapshot/search-index.ts';
import { openTowns } from './find-town.ts';
import { groupStreets, type Street } from './group-streets.ts';
import { kindNumber, type PlaceRows } from './rows/place-rows.ts';

/** A row of the table of places before it is written. */
interface PlaceRow {
  readonly kind: number;
  readonly lat: number;
  readonly lon: number;
  readonly ref: number;
  /** Numbers of texts. */
  readonly name: number;
  readonly town: number;
  readonly otherNames: readonly string[];
  readonly importance: number;
  readonly cells: Iterable<number>;
  /** Of a street. */
  readonly street: Street | null;
}

const NO_NAMES: readonly string[] = [];

/** Two places of one kind and name this near are one: the building and the point in it, both platforms of a stop. */
const SAME_PLACE_METERS = 300;

const STREET_IMPORTANCE = 0.3;
/** A street with a hundred addresses more than one with ten. */
const IMPORTANCE_PER_DIGIT = 0.07;

/**
 * Builds the tables of the index from all rows, and counts what it refuses. The order of rows in the inputs does not
 * matter, except between equal ones.
 */
export function buildPlaceTables(rows: PlaceRows): PlaceTables {
  const findTown = openTowns(rows.named);
  const streets = groupStreets(rows, findTown).map((street) => toStreetRow(rows, street));
  const places = [...sortPlaces(rows, streets), ...sortPlaces(rows, listNamed(rows, findTown))];
  const towns = numberTowns(rows, places);
  const tables = toSearchTables(buildSearchIndex(listEntries(rows, places)));
  const houses = writeHouses(rows, places);
  return {
    places: {
      kind: Uint8Array.from(places, ({ kind }) => kind),
      lat: Float64Array.from(places, ({ lat }) => lat),
      lon: Float64Array.from(places, ({ lon }) => lon),
      ref: Float64Array.from(places, ({ ref }) => ref),
      name: TextColumn.from(places.map(({ name }) => rows.texts.texts[name]!)),
      town: Uint32Array.from(places, ({ town }) => towns.rowOf.get(town)!),
    },
    placeTowns: { name: TextColumn.from(towns.names) },
    ...houses,
    placeIds: { row: sortByRef(places, houses.placeHouses.ref) },
    placeCells: writeCells(places),
    ...tables,
  };
}

function toStreetRow({ texts }: PlaceRows, street: Street): PlaceRow {
  const { name, town, houses, lat, lon, cells } = street;
  const key = [name, town]
    .map((text) =>
      nameWords(texts.texts[text]!)
        .map((word) => word.text)
        .join(' '),
    )
    .join('|');
  const hash = hashWord(key) * 2 ** 16 + (hashWord(key, 7) >>> 16);
  return {
    kind: kindNumber('street'),
    lat,
    lon,
    ref: toPlaceRef('s', hash),
    name,
    town,
    otherNames: NO_NAMES,
    importance: STREET_IMPORTANCE + IMPORTANCE_PER_DIGIT * Math.log10(1 + houses.length),
    cells,
    street,
  };
}

/** The named places, the better known of equal ones. */
function listNamed(rows: PlaceRows, findTown: (lat: number, lon: number) => number): PlaceRow[] {
  const { named, texts, tallies } = rows;
  const order = [...named.ref.keys()].sort(
    (a, b) => named.importance[b]! - named.importance[a]! || named.ref[a]! - named.ref[b]!,
  );
  const kept = new Map<string, PlaceRow[]>();
  for (const row of order) {
    const place = toNamedRow(rows, row, findTown);
    const key = `${place.kind}|${nameWords(texts.texts[place.name]!)
      .map(({ text }) => text)
      .join('')}`;
    const same = kept.get(key) ?? [];
    if (same.some((one) => distanceMeters(one.lat, one.lon, place.lat, place.lon) <= SAME_PLACE_METERS)) {
      tallies.places.refuse('duplicate_place');
    } else {
      same.push(place);
      kept.set(key, same);
    }
  }
  return [...kept.values()].flat();
}

const settlements: readonly PlaceKind[] = ['city', 'town', 'village'];

function toNamedRow({ named }: PlaceRows, row: number, findTown: (lat: number, lon: number) => number): PlaceRow {
  const kind = named.kind[row]!;
  const [lat, lon] = [named.lat[row]! / PLACE_UNITS_PER_DEGREE, named.lon[row]! / PLACE_UNITS_PER_DEGREE];
  const name = named.name[row]!;
  return {
    kind,
    lat,
    lon,
    ref: named.ref[row]!,
    name,
    town: settlements.includes(placeKinds[kind]!) ? name : named.town[row] || findTown(lat, lon),
    otherNames: named.otherNames[row]!,
    importance: named.importance[row]!,
    cells: [cellOf(lat, lon)],
    street: null,
  };
}

/** From south to north, so that neighbours are near each other in the file; equal input gives equal files. */
function sortPlaces({ texts }: PlaceRows, places: readonly PlaceRow[]): PlaceRow[] {
  const cells = new Map(places.map((place) => [place, cellOf(place.lat, place.lon)]));
  return [...places].sort((a, b) => {
    const order = cells.get(a)! - cells.get(b)!;
    if (order !== 0) return order;
    const [nameA, nameB] = [texts.texts[a.name]!, texts.texts[b.name]!];
    return nameA === nameB ? a.ref - b.ref : nameA < nameB ? -1 : 1;
  });
}

function numberTowns({ texts }: PlaceRows, places: readonly PlaceRow[]) {
  const names = [...new Set(places.map(({ town }) => town))].filter((town) => town !== 0);
  names.sort((a, b) => (texts.texts[a]! < texts.texts[b]! ? -1 : 1));
  const rowOf = new Map([[0, 0], ...names.map((town, i) => [town, i + 1] as const)]);
  return { names: ['', ...names.map((town) => texts.texts[town]!)], rowOf };
}

function listEntries({ texts, addresses }: PlaceRows, places: readonly PlaceRow[]): SearchEntry[] {
  const townNames = listTownNames(places);
  return places.map(({ name, town, otherNames, importance, street, kind }) => {
    const isSettlement = settlements.includes(placeKinds[kind]!);
    const postcodes = new Set(street?.houses.map((row) => addresses.postcode[row]!) ?? []);
    const further = [...postcodes, ...(street?.areas ?? [])].map((text) => texts.texts[text]!);
    return {
      name: texts.texts[name]!,
      place: town === 0 || isSettlement ? null : texts.texts[town]!,
      placeNames: [...further, ...(isSettlement ? NO_NAMES : (townNames.get(town) ?? NO_NAMES))].filter(Boolean),
      importance,
      otherNames: otherNames.map((other) => ({ kind: 'translated' as const, name: other })),
    };
  });
}

/** Names of the towns in other languages, by the number of the name. */
function listTownNames(places: readonly PlaceRow[]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const { kind, name, otherNames } of places) {
    if (placeKinds[kind] !== 'city' && placeKinds[kind] !== 'town' && placeKinds[kind] !== 'village') continue;
    if (otherNames.length > (found.get(name)?.length ?? 0)) found.set(name, otherNames);
  }
  return found;
}

type HouseTables = Pick<PlaceTables, 'placeStreets' | 'placeHouses' | 'placeNumbers' | 'placePostcodes'>;

/** Postcodes are numbers of 16 bits in the file: there are fewer in all of Europe's largest country. */
const MAX_POSTCODES = 2 ** 16;

function writeHouses({ texts, addresses }: PlaceRows, places: readonly PlaceRow[]): HouseTables {
  const streets = places.flatMap(({ street }) => street ?? []);
  const firstHouse = new Uint32Array(streets.length + 1);
  for (const [i, { houses }] of streets.entries()) firstHouse[i + 1] = firstHouse[i]! + houses.length;
  const order = new Uint32Array(firstHouse.at(-1)!);
  for (const [i, { houses }] of streets.entries()) order.set(houses, firstHouse[i]!);
  const numbers = numberTexts(order, addresses.number);
  const postcodes = numberTexts(order, addresses.postcode);
  if (postcodes.used.length > MAX_POSTCODES) throw new RangeError(`${postcodes.used.length} postcodes are too many`);
  const textColumn = (used: readonly number[]) => TextColumn.from(used.map((text) => texts.texts[text]!));
  return {
    placeStreets: { firstHouse },
    placeHouses: {
      number: Uint32Array.from(order, (row) => numbers.rowOf.get(addresses.number[row]!)!),
      postcode: Uint16Array.from(order, (row) => postcodes.rowOf.get(addresses.postcode[row]!)!),
      lat: Int32Array.from(order, (row) => addresses.lat[row]!),
      lon: Int32Array.from(order, (row) => addresses.lon[row]!),
      ref: Float64Array.from(order, (row) => addresses.ref[row]!),
    },
    placeNumbers: { text: textColumn(numbers.used) },
    placePostcodes: { text: textColumn(postcodes.used) },
  };
}

/** Numbers the texts that rows use, in order of their use; the empty text is the first. */
function numberTexts(order: Uint32Array, column: readonly number[]) {
  const rowOf = new Map([[0, 0]]);
  for (const row of order) if (!rowOf.has(column[row]!)) rowOf.set(column[row]!, rowOf.size);
  return { rowOf, used: [...rowOf.keys()] };
}

function sortByRef(places: readonly PlaceRow[], houseRefs: Float64Array): Uint32Array {
  const refs = new Float64Array(places.length + houseRefs.length);
  for (const [i, { ref }] of places.entries()) refs[i] = ref;
  refs.set(houseRefs, places.length);
  return Uint32Array.from(refs.keys()).sort((a, b) => refs[a]! - refs[b]! || a - b);
}

function writeCells(places: readonly PlaceRow[]): PlaceTables['placeCells'] {
  const pairs: number[] = [];
  for (const [row, { cells }] of places.entries()) for (const cell of cells) pairs.push(cell * 2 ** 21 + row);
  const sorted = Float64Array.from(pairs).sort();
  return {
    cell: Uint32Array.from(sorted, (pair) => Math.floor(pair / 2 ** 21)),
    place: Uint32Array.from(sorted, (pair) => pair % 2 ** 21),
  };
}
