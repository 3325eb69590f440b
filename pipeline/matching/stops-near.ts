import { isCoordinate } from '../model/geo.ts';
import type { TimetableTables } from '../snapshots/contract.ts';

/** Stations, and stops that belong to none, on a grid whose squares are wider than any distance that is asked for. */
export type StopGrid = ReadonlyMap<number, readonly number[]>;

/** Degrees: 440 m from south to north, and as much from west to east up to 56° north. */
const CELL_LAT = 0.004;
const CELL_LON = 0.0072;
const COLUMNS = 100_000;

/** Only places with calls; a stop without coordinates is not near anything. */
export function buildStopGrid({ stops }: TimetableTables): StopGrid {
  const grid = new Map<number, number[]>();
  for (let stop = 0; stop < stops.station.length; stop++) {
    if (stops.station[stop] !== stop || stops.memberCount[stop] === 0) continue;
    if (!isCoordinate(stops.lat[stop]!, stops.lon[stop]!)) continue;
    const cell = cellOf(rowOf(stops.lat[stop]!), columnOf(stops.lon[stop]!));
    const list = grid.get(cell);
    if (list) list.push(stop);
    else grid.set(cell, [stop]);
  }
  return grid;
}

/** All stops within 440 m, and some beyond. */
export function stopsAround(grid: StopGrid, lat: number, lon: number): number[] {
  const found: number[] = [];
  for (let row = rowOf(lat) - 1; row <= rowOf(lat) + 1; row++) {
    for (let column = columnOf(lon) - 1; column <= columnOf(lon) + 1; column++) {
      found.push(...(grid.get(cellOf(row, column)) ?? []));
    }
  }
  return found;
}

const rowOf = (lat: number) => Math.floor(lat / CELL_LAT);
const columnOf = (lon: number) => Math.floor(lon / CELL_LON);
const cellOf = (row: number, column: number) => row * COLUMNS + column;
