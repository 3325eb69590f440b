import { distanceMeters } from '../model/geo.ts';
import { PLACE_UNITS_PER_DEGREE, type PlaceKind, placeKinds } from '../snapshots/places-contract.ts';
import type { NamedRows } from './rows/place-rows.ts';

/** How far around its centre a settlement gives its name to what has none: the ratio decides between neighbours. */
const reachMeters: Partial<Record<PlaceKind, number>> = { city: 12_000, town: 5000, village: 2500 };
/** A place in no settlement is called by one at most this many times its reach away. */
const MAX_REACHES = 4;
/** Side of a cell of the grid in degrees. */
const CELL = 0.1;
/** A cell is 7 km wide at the latitude of Austria. */
const CELLS_AROUND = 2;

interface Settlement {
  /** Number of its name. */
  readonly name: number;
  readonly lat: number;
  readonly lon: number;
  readonly reachMeters: number;
}

/**
 * Finds the town of a place whose data do not say it.
 * @returns a function from degrees to the number of a name; 0 far from any settlement
 */
export function openTowns(named: NamedRows): (lat: number, lon: number) => number {
  const cells = new Map<string, Settlement[]>();
  for (let row = 0; row < named.length; row++) {
    const reach = reachMeters[placeKinds[named.kind[row]!]!];
    if (reach === undefined) continue;
    const [lat, lon] = [named.lat[row]! / PLACE_UNITS_PER_DEGREE, named.lon[row]! / PLACE_UNITS_PER_DEGREE];
    const key = cellKey(Math.floor(lat / CELL), Math.floor(lon / CELL));
    const settlement = { name: named.name[row]!, lat, lon, reachMeters: reach };
    const cell = cells.get(key);
    if (cell) cell.push(settlement);
    else cells.set(key, [settlement]);
  }
  return (lat, lon) => findNearest(cells, lat, lon);
}

function cellKey(row: number, column: number): string {
  return `${row} ${column}`;
}

function findNearest(cells: ReadonlyMap<string, readonly Settlement[]>, lat: number, lon: number): number {
  let [best, bestReaches] = [0, MAX_REACHES];
  const [row, column] = [Math.floor(lat / CELL), Math.floor(lon / CELL)];
  for (let r = row - CELLS_AROUND; r <= row + CELLS_AROUND; r++) {
    for (let c = column - CELLS_AROUND; c <= column + CELLS_AROUND; c++) {
      for (const one of cells.get(cellKey(r, c)) ?? []) {
        const reaches = distanceMeters(lat, lon, one.lat, one.lon) / one.reachMeters;
        if (reaches < bestReaches) [best, bestReaches] = [one.name, reaches];
      }
    }
  }
  return best;
}
