import type { PlaceOrigin } from '../../pipeline/model/place-id.ts';
import { toPlaceRef } from '../../pipeline/model/place-id.ts';
import { createPlaceRows, kindNumber, type PlaceRows } from '../../pipeline/places/rows/place-rows.ts';
import { PLACE_UNITS_PER_DEGREE, type PlaceKind } from '../../pipeline/snapshots/places-contract.ts';
import { makeRandom, makeStreetName, makeVillageName, pickFrom } from './made-up-stops.ts';

export const SEED = 20_261_127;

/** Size of a country: Austria has some 2.6 million addresses, 0.4 million named places and 17,000 villages. */
export interface CountrySize {
  readonly villages: number;
  readonly addresses: number;
  readonly places: number;
}

const kinds: readonly PlaceKind[] = [
  'shop',
  'food',
  'lodging',
  'school',
  'worship',
  'park',
  'sight',
  'mountain',
  'sport',
];
/** Of a kind, some have only the kind as their name; most have a further name. */
const KIND_WORDS = [
  'Gasthaus',
  'Volksschule',
  'Pfarrkirche',
  'Hotel',
  'Café',
  'Billa',
  'Spar',
  'Schloss',
  'Sportplatz',
  'Museum',
];
const COMMON_STREETS = [
  ...['Hauptstraße', 'Bahnhofstraße', 'Schulstraße', 'Kirchengasse', 'Feldgasse', 'Wiener Straße', 'Hauptplatz'],
  ...['Gartenweg', 'Birkenweg', 'Dorfstraße', 'Mühlweg', 'Ringstraße', 'Am Sonnenhang', 'Dr.-Karl-Renner-Straße'],
];
const SHARE_OF_COMMON = 0.3;
const HOUSES_PER_STREET = 16;
const BIG_CITIES = 5;

/**
 * Generates the rows of a country: five cities with a third of all addresses, villages with the rest; streets of 1 to 60
 * houses, a third of them with names that many towns have.
 */
export function makeCountry({ villages, addresses, places }: CountrySize): PlaceRows {
  const random = makeRandom(SEED);
  const rows = createPlaceRows();
  const towns = Array.from({ length: villages }, (_, i) => ({
    name: i < BIG_CITIES ? ['Wien', 'Graz', 'Linz', 'Salzburg', 'Innsbruck'][i]! : makeVillageName(random),
    postcode: String(1000 + Math.floor((i / villages) * 8990)),
    lat: 46.5 + random() * 2.4,
    lon: 9.6 + random() * 7.4,
    spread: i < BIG_CITIES ? 0.1 : 0.015,
  }));
  let id = 1;
  for (const [i, { name, lat, lon }] of towns.entries()) {
    addNamed(rows, id++, i < BIG_CITIES ? 'city' : 'village', name, name, lat, lon, 'n');
  }
  while (rows.addresses.length < addresses) {
    const town = random() < 0.33 ? towns[Math.floor(random() * BIG_CITIES)]! : pickFrom(towns, random);
    const street = random() < SHARE_OF_COMMON ? pickFrom(COMMON_STREETS, random) : makeStreetName(random);
    const [lat, lon] = [town.lat + (random() - 0.5) * town.spread, town.lon + (random() - 0.5) * town.spread];
    const houses = 1 + Math.floor(-Math.log(1 - random()) * HOUSES_PER_STREET);
    for (let house = 1; house <= houses; house++) {
      const number = random() < 0.1 ? `${house}${pickFrom(['a', 'b', '/1', '/2'], random)}` : String(house);
      addAddress(rows, id++, street, number, town.postcode, town.name, lat + house * 0.0001, lon + house * 0.00007);
    }
  }
  for (let i = 0; i < places; i++) {
    const town = pickFrom(towns, random);
    const name = `${pickFrom(KIND_WORDS, random)} ${random() < 0.4 ? town.name : makeVillageName(random)}`;
    const [lat, lon] = [town.lat + (random() - 0.5) * 0.03, town.lon + (random() - 0.5) * 0.03];
    addNamed(rows, id++, pickFrom(kinds, random), name, town.name, lat, lon, 'w');
  }
  return rows;
}

const toUnits = (degrees: number) => Math.round(degrees * PLACE_UNITS_PER_DEGREE);

function addNamed(
  { texts, named, tallies }: PlaceRows,
  id: number,
  kind: PlaceKind,
  name: string,
  town: string,
  lat: number,
  lon: number,
  origin: PlaceOrigin,
): void {
  tallies.places.read++;
  named.kind.push(kindNumber(kind));
  named.name.push(texts.numberOf(name));
  named.otherNames.push([]);
  named.importance.push(kind === 'city' ? 1 : kind === 'village' ? 0.6 : 0.3);
  named.town.push(texts.numberOf(town));
  named.lat.push(toUnits(lat));
  named.lon.push(toUnits(lon));
  named.ref.push(toPlaceRef(origin, id));
}

function addAddress(
  { texts, addresses, tallies }: PlaceRows,
  id: number,
  street: string,
  number: string,
  postcode: string,
  town: string,
  lat: number,
  lon: number,
): void {
  tallies.addresses.read++;
  addresses.street.push(texts.numberOf(street));
  addresses.number.push(texts.numberOf(number));
  addresses.postcode.push(texts.numberOf(postcode));
  addresses.town.push(texts.numberOf(town));
  addresses.area.push(0);
  addresses.lat.push(toUnits(lat));
  addresses.lon.push(toUnits(lon));
  addresses.ref.push(toPlaceRef('wa', id));
}
