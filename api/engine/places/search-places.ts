import { coversHouseNumber, listHouseNumberForms, readAddressQuery } from '../../../pipeline/model/house-number.ts';
import { settlementKinds } from '../../../pipeline/snapshots/places-contract.ts';
import type { StopKind } from '../../contract/definitions.ts';
import { type SearchOptions, searchStops } from '../search/search.ts';
import { getHouses, getPlaceKind, type PlaceRow, type PlacesIndex } from './place-index.ts';

/** A match of a query. */
export interface FoundPlace extends PlaceRow {
  /** Points of the match, comparable with those of stops. */
  readonly points: number;
  readonly isExact: boolean;
  /** A town, or part of one: its main station is meant first. */
  readonly isSettlement: boolean;
}

interface PlaceSearch {
  readonly query: string;
  readonly limit: number;
  readonly kinds: readonly StopKind[];
  readonly bias?: NonNullable<SearchOptions['bias']>;
}

/** A single letter begins a tenth of all names. */
const SHORTEST_QUERY = 2;
/** Streets that are looked through for the number of a house: many towns have a Hauptstraße. */
const STREETS_WITH_NUMBER = 150;
/** A number that a street has, or lacks, as part of the match. */
const POINTS_PER_NUMBER = 20;

/** Finds places and addresses by name, best first. */
export function searchPlaces(index: PlacesIndex, search: PlaceSearch): FoundPlace[] {
  if (search.query.trim().length < SHORTEST_QUERY) return [];
  const { text, number, postcode } = readAddressQuery(search.query, (digits) => index.postcodeRows.has(digits));
  if (number === null || !search.kinds.includes('address')) return find(index, search, search.query, search.limit);
  const wanted = listNumberRows(index, number);
  const postcodeRow = (postcode === null ? undefined : index.postcodeRows.get(postcode)) ?? null;
  const streets = find(index, search, text, STREETS_WITH_NUMBER).filter(({ place }) => place < index.streetCount);
  const houses = streets.flatMap((street) => {
    const house = findHouse(index, street.place, number, wanted, postcodeRow);
    return house === null ? [] : [{ ...street, house, points: street.points + POINTS_PER_NUMBER }];
  });
  // A number may belong to a name ("Halle 5"), and a street may be meant whose number is not known.
  const others = houses.length > 0 ? [] : find(index, search, search.query, search.limit);
  const nearby = houses.length > 0 ? [] : streets.map((one) => ({ ...one, points: one.points - POINTS_PER_NUMBER }));
  const found = new Set(houses.map(({ place }) => place));
  const rest = [...others, ...nearby].filter(({ place }) => !found.has(place) && found.add(place));
  return [...houses, ...rest].sort(comparePlaces).slice(0, search.limit);
}

function find(index: PlacesIndex, { kinds, bias }: PlaceSearch, text: string, limit: number): FoundPlace[] {
  const { search, workspace, tables } = index;
  const [withStreets, withOthers] = [kinds.includes('address'), kinds.includes('poi') || kinds.includes('station')];
  const accepts = (entry: number) => (entry < index.streetCount ? withStreets : withOthers);
  const options = { limit, workspace, coordinates: tables.places, accepts, ...(bias ? { bias } : {}) };
  return searchStops(search, text, options).map(({ entry, points, exactness }) => ({
    place: entry,
    house: -1,
    points,
    isExact: exactness > 0,
    isSettlement: settlementKinds.includes(getPlaceKind(index, entry)),
  }));
}

/** Best first; a stable order, as equal ones keep that of the search. */
function comparePlaces(a: FoundPlace, b: FoundPlace): number {
  return Number(b.isExact) - Number(a.isExact) || b.points - a.points;
}

/** Rows of `placeNumbers` for each form of a number, the most exact form first. */
function listNumberRows({ numberRows }: PlacesIndex, number: string): readonly (readonly number[])[] {
  return listHouseNumberForms(number).flatMap((form) => {
    const rows = numberRows.get(form);
    return rows ? [rows] : [];
  });
}

/** @returns row of `placeHouses`; null if the street has no such number */
function findHouse(
  index: PlacesIndex,
  street: number,
  number: string,
  wanted: readonly (readonly number[])[],
  postcode: number | null,
): number | null {
  const { placeHouses, placeNumbers } = index.tables;
  const { first, end } = getHouses(index, street);
  for (const rows of wanted) {
    let found: number | null = null;
    for (let house = first; house < end; house++) {
      if (!rows.includes(placeHouses.number[house]!)) continue;
      if (postcode === null || placeHouses.postcode[house] === postcode) return house;
      found ??= house;
    }
    if (found !== null) return found;
  }
  const wantedNumber = Number.parseInt(number, 10);
  for (let house = first; house < end; house++) {
    if (coversHouseNumber(placeNumbers.text.get(placeHouses.number[house]!), wantedNumber)) return house;
  }
  return null;
}
