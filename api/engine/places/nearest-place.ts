import { lowerBound } from '../../../pipeline/model/binary-search.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import { listCellRows, PLACE_UNITS_PER_DEGREE } from '../../../pipeline/snapshots/places-contract.ts';
import { getHouses, getPlaceKind, type PlaceRow, type PlacesIndex } from './place-index.ts';
import { nameShort } from './present-place.ts';

/** A point this near to an address is named by it; further away the name says "near". */
const AT_ADDRESS_METERS = 100;
const AT_PLACE_METERS = 60;
/** Nothing further away names a point. */
const NEAR_METERS = 3000;
/** Cells around a point: first the neighbours, then all that may be near. */
const CELLS = [1, 7] as const;

interface Nearest {
  readonly row: PlaceRow;
  readonly meters: number;
}

/**
 * Names a point by the nearest address or place: "Mariahilfer Straße 12", "nahe Hochschneeberg".
 * @returns null far from everything
 */
export function namePoint(index: PlacesIndex, lat: number, lon: number): string | null {
  for (const cells of CELLS) {
    const { house, place } = findNearest(index, lat, lon, cells);
    if (house && house.meters <= AT_ADDRESS_METERS) return nameShort(index, house.row);
    if (place && place.meters <= AT_PLACE_METERS) return nameShort(index, place.row);
    const nearest = [house, place].filter((one) => one !== null).sort((a, b) => a.meters - b.meters)[0];
    // Cells that were not searched are at least this far away, so nothing in them can be nearer.
    if (nearest && nearest.meters <= (cells === CELLS[0] ? NEAR_METERS / CELLS[1] : NEAR_METERS)) {
      return `nahe ${nameShort(index, nearest.row)}`;
    }
  }
  return null;
}

function findNearest(index: PlacesIndex, lat: number, lon: number, cells: number) {
  const { placeCells, places } = index.tables;
  let [house, place]: [Nearest | null, Nearest | null] = [null, null];
  const seen = new Set<number>();
  for (const { first, last } of listCellRows(lat, lon, cells)) {
    const end = lowerBound(placeCells.cell, last + 1);
    for (let i = lowerBound(placeCells.cell, first); i < end; i++) {
      const row = placeCells.place[i]!;
      if (seen.has(row) || !seen.add(row)) continue;
      const found = row < index.streetCount ? findNearestHouse(index, row, lat, lon) : null;
      if (found && (house === null || found.meters < house.meters)) house = found;
      const isEmptyStreet = row < index.streetCount && found === null;
      if ((row < index.streetCount && !isEmptyStreet) || getPlaceKind(index, row) === 'station') continue;
      const meters = distanceMeters(lat, lon, places.lat[row]!, places.lon[row]!);
      if (place === null || meters < place.meters) place = { row: { place: row, house: -1 }, meters };
    }
  }
  return { house, place };
}

function findNearestHouse(index: PlacesIndex, street: number, lat: number, lon: number): Nearest | null {
  const { placeHouses } = index.tables;
  const { first, end } = getHouses(index, street);
  const [wantedLat, wantedLon] = [lat * PLACE_UNITS_PER_DEGREE, lon * PLACE_UNITS_PER_DEGREE];
  const shrink = Math.cos((lat * Math.PI) / 180);
  let [best, bestSquare] = [-1, Infinity];
  for (let house = first; house < end; house++) {
    const north = placeHouses.lat[house]! - wantedLat;
    const east = (placeHouses.lon[house]! - wantedLon) * shrink;
    const square = north * north + east * east;
    if (square < bestSquare) [best, bestSquare] = [house, square];
  }
  if (best < 0) return null;
  const degrees = (value: number) => value / PLACE_UNITS_PER_DEGREE;
  const meters = distanceMeters(lat, lon, degrees(placeHouses.lat[best]!), degrees(placeHouses.lon[best]!));
  return { row: { place: street, house: best }, meters };
}
