/**
 * What a place is in its register, and the number that it has there: an object of OpenStreetMap, the address of such
 * an object, an address of Austria's register, or a street, which is many objects and has a hash of its name and town.
 */
const origins = ['n', 'w', 'r', 'na', 'wa', 'ra', 'at', 's'] as const;
export type PlaceOrigin = (typeof origins)[number];

const PREFIX = 'place:';
const FORM = /^place:([a-z]{1,2})(0|[1-9]\d{0,14})$/;
/** Numbers times the number of origins must stay exact. */
const MAX_NUMBER = 2 ** 50 - 1;

/** A place's id as one exact number, which orders places by their number, then by origin. */
export function toPlaceRef(origin: PlaceOrigin, number: number): number {
  return number * origins.length + origins.indexOf(origin);
}

/** Whether a number of a register can be part of an id. */
export function isPlaceNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER;
}

/** The public id, equal for the same object in every build. */
export function writePlaceId(ref: number): string {
  return `${PREFIX}${origins[ref % origins.length]}${Math.floor(ref / origins.length)}`;
}

/** @returns null for any other text */
export function readPlaceId(id: string): number | null {
  const [, origin, digits] = FORM.exec(id) ?? [];
  const number = Number(digits);
  const isKnown = origins.some((one) => one === origin);
  return isKnown && isPlaceNumber(number) ? toPlaceRef(origin as PlaceOrigin, number) : null;
}
