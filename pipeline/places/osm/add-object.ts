import { type PlaceOrigin, toPlaceRef } from '../../model/place-id.ts';
import type { UnitPoint } from '../../osm/outline-points.ts';
import { kindNumber, type PlaceRows, type RefusedReason } from '../rows/place-rows.ts';
import type { TaggedAddress, TaggedObject, TaggedPlace } from './interpret-tags.ts';

type ObjectType = 'node' | 'way' | 'relation';

const objectOrigins: Readonly<Record<ObjectType, readonly [place: PlaceOrigin, address: PlaceOrigin]>> = {
  node: ['n', 'na'],
  way: ['w', 'wa'],
  relation: ['r', 'ra'],
};

/** A longer number is a description. */
const MAX_NUMBER_LETTERS = 24;

/**
 * Adds the rows of an object, each counted as read, and as refused where it cannot be searched.
 * @param point null where the file has none of its nodes
 */
export function addObject(
  rows: PlaceRows,
  type: ObjectType,
  id: number,
  { address, place, street }: TaggedObject,
  point: UnitPoint | null,
): void {
  const [placeOrigin, addressOrigin] = objectOrigins[type];
  if (address !== null) addAddress(rows, toPlaceRef(addressOrigin, id), address, point);
  if (place !== null && place.kind !== 'street') addNamed(rows, toPlaceRef(placeOrigin, id), place, point);
  // A square may have addresses like a street.
  const streetName = street ?? (place?.kind === 'street' ? place.name : null);
  if (streetName !== null) addStreet(rows, streetName, point);
}

function findRefusal({ street, number }: TaggedAddress, point: UnitPoint | null): RefusedReason | null {
  if (point === null) return 'no_coordinates';
  if (street === null) return 'no_street';
  return /\d/.test(number) && number.length <= MAX_NUMBER_LETTERS ? null : 'bad_number';
}

function addAddress(
  { texts, addresses, tallies }: PlaceRows,
  ref: number,
  tagged: TaggedAddress,
  point: UnitPoint | null,
) {
  tallies.addresses.read++;
  const refusal = findRefusal(tagged, point);
  if (refusal !== null || point === null || tagged.street === null) {
    tallies.addresses.refuse(refusal ?? 'no_coordinates');
    return;
  }
  addresses.street.push(texts.numberOf(tagged.street));
  addresses.number.push(texts.numberOf(tagged.number));
  addresses.postcode.push(texts.numberOf(tagged.postcode));
  addresses.town.push(texts.numberOf(tagged.town));
  addresses.area.push(0);
  addresses.lat.push(point.lat);
  addresses.lon.push(point.lon);
  addresses.ref.push(ref);
}

function addNamed({ texts, named, tallies }: PlaceRows, ref: number, tagged: TaggedPlace, point: UnitPoint | null) {
  tallies.places.read++;
  if (point === null) {
    tallies.places.refuse('no_coordinates');
    return;
  }
  named.kind.push(kindNumber(tagged.kind));
  named.name.push(texts.numberOf(tagged.name));
  named.otherNames.push(tagged.otherNames);
  named.importance.push(tagged.importance);
  named.town.push(texts.numberOf(tagged.town));
  named.lat.push(point.lat);
  named.lon.push(point.lon);
  named.ref.push(ref);
}

function addStreet({ texts, streets, tallies }: PlaceRows, name: string, point: UnitPoint | null): void {
  tallies.streets.read++;
  if (point === null) {
    tallies.streets.refuse('no_coordinates');
    return;
  }
  streets.name.push(texts.numberOf(name));
  streets.lat.push(point.lat);
  streets.lon.push(point.lon);
}
