import { distanceMeters } from '../model/geo.ts';
import { foldHouseNumber } from '../model/house-number.ts';
import { hashWord } from '../model/search-index.ts';
import { nameWords } from '../model/stop-name.ts';
import { cellOf, PLACE_UNITS_PER_DEGREE } from '../snapshots/places-contract.ts';
import type { PlaceRows } from './rows/place-rows.ts';

/** A street of one town with its addresses. */
export interface Street {
  /** Numbers of texts. */
  readonly name: number;
  readonly town: number;
  /** Rows of the addresses, by number. */
  readonly houses: number[];
  /** Parts of the map where it is. */
  readonly cells: Set<number>;
  readonly areas: Set<number>;
  /** In degrees: its box, and a point on it. */
  readonly box: Box;
  lat: number;
  lon: number;
}

interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** A piece of a street belongs to a street of its name whose box is at most this far away. */
const JOIN_DEGREES = 0.01;
/** Two rows of one number this near are one address. */
const SAME_HOUSE_METERS = 400;

/** Groups the addresses by street and town, drops duplicates, and adds the pieces of streets. */
export function groupStreets(rows: PlaceRows, findTown: (lat: number, lon: number) => number): Street[] {
  const fold = foldNames(rows);
  const streets = new Map<string, Street>();
  const { addresses } = rows;
  const isRefused = refuseKnownToRegister(rows, fold);
  for (let row = 0; row < addresses.length; row++) {
    if (isRefused[row] === 1) continue;
    const [lat, lon] = [addresses.lat[row]! / PLACE_UNITS_PER_DEGREE, addresses.lon[row]! / PLACE_UNITS_PER_DEGREE];
    const town = addresses.town[row] || findTown(lat, lon);
    const street = getStreet(streets, addresses.street[row]!, town, fold);
    street.houses.push(row);
    if (addresses.area[row] !== 0) street.areas.add(addresses.area[row]!);
    addPoint(street, lat, lon);
  }
  for (const street of streets.values()) settleHouses(rows, street);
  addPieces(rows, streets, findTown, fold);
  return [...streets.values()];
}

/** The folded form of each text that is a name, computed once. */
function foldNames({ texts }: PlaceRows): (text: number) => string {
  const folded: (string | undefined)[] = [];
  return (text) => {
    folded[text] ??= nameWords(texts.texts[text]!)
      .map((word) => word.text)
      .join('');
    return folded[text];
  };
}

function getStreet(streets: Map<string, Street>, name: number, town: number, fold: (text: number) => string): Street {
  const key = `${fold(name)}|${fold(town)}`;
  const known = streets.get(key);
  if (known) return known;
  const box = { south: Infinity, north: -Infinity, west: Infinity, east: -Infinity };
  const street: Street = { name, town, houses: [], cells: new Set(), areas: new Set(), box, lat: 0, lon: 0 };
  streets.set(key, street);
  return street;
}

function addPoint({ box, cells }: Street, lat: number, lon: number): void {
  cells.add(cellOf(lat, lon));
  box.south = Math.min(box.south, lat);
  box.north = Math.max(box.north, lat);
  box.west = Math.min(box.west, lon);
  box.east = Math.max(box.east, lon);
}

/** Refuses addresses of the map that the register has too: the register is official and has them once. */
function refuseKnownToRegister({ texts, addresses, tallies }: PlaceRows, fold: (text: number) => string): Uint8Array {
  const isRefused = new Uint8Array(addresses.length);
  const keyOf = (row: number) => {
    const number = foldHouseNumber(texts.texts[addresses.number[row]!]!);
    const key = `${fold(addresses.street[row]!)}|${number}|${texts.texts[addresses.postcode[row]!]}`;
    // Two hashes of 32 and 21 bits, as one exact number: a fraction of the memory of the text.
    return hashWord(key) * 2 ** 21 + (hashWord(key, 7) >>> 11);
  };
  const registered = new Set<number>();
  for (let row = 0; row < addresses.length; row++) if (addresses.isRegistered(row)) registered.add(keyOf(row));
  if (registered.size === 0) return isRefused;
  for (let row = 0; row < addresses.length; row++) {
    if (addresses.isRegistered(row) || addresses.postcode[row] === 0 || !registered.has(keyOf(row))) continue;
    isRefused[row] = 1;
    tallies.addresses.refuse('in_register');
  }
  return isRefused;
}

/** Sorts the addresses of a street by number, drops duplicates, and finds the address in its middle. */
function settleHouses({ texts, addresses, tallies }: PlaceRows, street: Street): void {
  const { houses } = street;
  const numbers = new Map(houses.map((row) => [row, foldHouseNumber(texts.texts[addresses.number[row]!]!)]));
  const postcodeOf = (row: number) => texts.texts[addresses.postcode[row]!]!;
  houses.sort(
    (a, b) =>
      compareNumbers(numbers.get(a)!, numbers.get(b)!) ||
      // An address without postcode is behind the one with it, of which it is a duplicate.
      Number(postcodeOf(a) === '') - Number(postcodeOf(b) === '') ||
      compareTexts(postcodeOf(a), postcodeOf(b)) ||
      addresses.ref[a]! - addresses.ref[b]!,
  );
  const kept: number[] = [];
  for (const row of houses) {
    if (isDuplicate(row)) tallies.addresses.refuse('duplicate_address');
    else kept.push(row);
  }
  houses.splice(0, houses.length, ...kept);
  const middle = findMiddleHouse();
  street.lat = addresses.lat[middle]! / PLACE_UNITS_PER_DEGREE;
  street.lon = addresses.lon[middle]! / PLACE_UNITS_PER_DEGREE;

  function isDuplicate(row: number): boolean {
    for (let i = kept.length - 1; i >= 0 && numbers.get(kept[i]!) === numbers.get(row); i--) {
      const [other, own] = [postcodeOf(kept[i]!), postcodeOf(row)];
      if ((other === own || own === '') && metersBetween(kept[i]!, row) <= SAME_HOUSE_METERS) return true;
    }
    return false;
  }

  function metersBetween(a: number, b: number): number {
    const degrees = (column: readonly number[], row: number) => column[row]! / PLACE_UNITS_PER_DEGREE;
    const { lat, lon } = addresses;
    return distanceMeters(degrees(lat, a), degrees(lon, a), degrees(lat, b), degrees(lon, b));
  }

  function findMiddleHouse(): number {
    const mean = (column: readonly number[]) => houses.reduce((sum, row) => sum + column[row]!, 0) / houses.length;
    const [lat, lon] = [mean(addresses.lat), mean(addresses.lon)];
    const away = (row: number) => (addresses.lat[row]! - lat) ** 2 + (0.67 * (addresses.lon[row]! - lon)) ** 2;
    return houses.reduce((best, row) => (away(row) < away(best) ? row : best), houses[0]!);
  }
}

function compareNumbers(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10) || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Adds each piece to the nearby street of its name, or to a street without addresses. */
function addPieces(
  { streets: pieces }: PlaceRows,
  streets: Map<string, Street>,
  findTown: (lat: number, lon: number) => number,
  fold: (text: number) => string,
): void {
  const byName = new Map<string, Street[]>();
  const remember = (street: Street) => {
    const name = fold(street.name);
    const list = byName.get(name);
    if (list) list.push(street);
    else byName.set(name, [street]);
  };
  for (const street of streets.values()) remember(street);
  for (let row = 0; row < pieces.length; row++) {
    const [lat, lon] = [pieces.lat[row]! / PLACE_UNITS_PER_DEGREE, pieces.lon[row]! / PLACE_UNITS_PER_DEGREE];
    const near = byName.get(fold(pieces.name[row]!))?.find(({ box }) => isNear(box, lat, lon));
    if (near) {
      near.cells.add(cellOf(lat, lon));
      continue;
    }
    const street = getStreet(streets, pieces.name[row]!, findTown(lat, lon), fold);
    if (street.cells.size === 0) {
      [street.lat, street.lon] = [lat, lon];
      remember(street);
    }
    addPoint(street, lat, lon);
  }
}

function isNear({ south, north, west, east }: Box, lat: number, lon: number): boolean {
  const isInside = south - JOIN_DEGREES <= lat && lat <= north + JOIN_DEGREES;
  return isInside && west - JOIN_DEGREES <= lon && lon <= east + JOIN_DEGREES;
}
