import { writePlaceId } from '../../../pipeline/model/place-id.ts';
import { PLACE_UNITS_PER_DEGREE, settlementKinds } from '../../../pipeline/snapshots/places-contract.ts';
import type { Coord, Stop } from '../../contract/definitions.ts';
import { presentCoord } from '../read/present.ts';
import { getPlaceKind, type PlaceRow, type PlacesIndex } from './place-index.ts';

/** A place as a result of the search. */
export function presentPlace(index: PlacesIndex, row: PlaceRow): Stop {
  return {
    id: getPlaceId(index, row),
    name: namePlace(index, row),
    coord: locatePlace(index, row),
    kind: row.place < index.streetCount ? 'address' : 'poi',
  };
}

export function getPlaceId({ tables }: PlacesIndex, { place, house }: PlaceRow): string {
  return writePlaceId(house < 0 ? tables.places.ref[place]! : tables.placeHouses.ref[house]!);
}

export function locatePlace({ tables }: PlacesIndex, { place, house }: PlaceRow): Coord {
  const { places, placeHouses } = tables;
  if (house < 0) return presentCoord(places.lat[place]!, places.lon[place]!);
  return presentCoord(
    placeHouses.lat[house]! / PLACE_UNITS_PER_DEGREE,
    placeHouses.lon[house]! / PLACE_UNITS_PER_DEGREE,
  );
}

/** "Mariahilfer Straße 12, 1060 Wien", "Schloss Schönbrunn, Wien", or only the name where the town is part of it. */
export function namePlace(index: PlacesIndex, row: PlaceRow): string {
  const { placeTowns, places, placeHouses, placePostcodes } = index.tables;
  const name = nameShort(index, row);
  const town = placeTowns.name.get(places.town[row.place]!);
  if (row.house >= 0) {
    const postcode = placePostcodes.text.get(placeHouses.postcode[row.house]!);
    const area = [postcode, town].filter((part) => part !== '').join(' ');
    return area === '' ? name : `${name}, ${area}`;
  }
  const isPart = name.toLowerCase().includes(town.toLowerCase());
  const isSettlement = settlementKinds.includes(getPlaceKind(index, row.place)) && isPart;
  return town === '' || isSettlement || (isPart && row.place >= index.streetCount) ? name : `${name}, ${town}`;
}

/** The same without the town. */
export function nameShort({ tables }: PlacesIndex, { place, house }: PlaceRow): string {
  const name = tables.places.name.get(place);
  if (house < 0) return name;
  return `${name} ${tables.placeNumbers.text.get(tables.placeHouses.number[house]!)}`;
}
