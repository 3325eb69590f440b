import type { GeoBox } from './geo.ts';
import type { Instant } from './service-time.ts';

/** An area of the map whose vehicles were requested. */
export interface VehicleDemand {
  readonly box: GeoBox;
  /** When it was last requested. */
  readonly wantedAt: Instant;
}

/** A demand that is not repeated within this time is dropped. @see decisions, section 8 */
export const DEMAND_SECONDS = 300;
/** An area counts as live for this long after a source was polled for it. */
export const LIVE_SECONDS = 60;
/** Maximum areas polled per source at the same time; further ones wait until one is dropped. */
export const MAX_AREAS = 8;
/** Tolerance between the clocks of two processes; later times are ignored. */
const AHEAD_SECONDS = 60;

/** Edges lie on a grid of tenths of a degree, so that requests for nearly the same area are one demand. */
const CELLS_PER_DEGREE = 10;
/** The largest box of a request. @see decisions, section 3 */
export const MAX_BOX_DEGREES = 2;
/** The same, widened to the grid on both sides and by the rounding error of decimal fractions. */
const MAX_WIDENED_DEGREES = MAX_BOX_DEGREES + 2 / CELLS_PER_DEGREE + 1e-6;

/** The smallest box of the grid around a box. */
export function widenToGrid({ south, west, north, east }: GeoBox): GeoBox {
  const down = (degrees: number) => Math.floor(round(degrees * CELLS_PER_DEGREE)) / CELLS_PER_DEGREE;
  const up = (degrees: number) => Math.ceil(round(degrees * CELLS_PER_DEGREE)) / CELLS_PER_DEGREE;
  return { south: down(south), west: down(west), north: up(north), east: up(east) };
}

/** Removes the rounding error of decimal fractions, which would add a cell; a zero has no sign. */
function round(cells: number): number {
  return Number(cells.toFixed(6)) + 0;
}

export function isInBox({ south, west, north, east }: GeoBox, lat: number, lon: number): boolean {
  return south <= lat && lat <= north && west <= lon && lon <= east;
}

export function containsBox(outer: GeoBox, inner: GeoBox): boolean {
  return isInBox(outer, inner.south, inner.west) && isInBox(outer, inner.north, inner.east);
}

/** The id of a box of the grid, of `[a-z0-9-]`: tenths of degrees, `m` before negative ones. */
export function nameArea({ south, west, north, east }: GeoBox): string {
  const toText = (degrees: number) => {
    const cells = Math.round(degrees * CELLS_PER_DEGREE);
    return cells < 0 ? `m${-cells}` : `${cells}`;
  };
  return [south, west, north, east].map(toText).join('-');
}

/**
 * The valid demands: each area once, none inside another, most recent first, no more than are polled at the same time.
 */
export function listCurrentDemands(demands: readonly VehicleDemand[], now: Instant): VehicleDemand[] {
  const current = demands
    .filter(({ box, wantedAt }) => now - wantedAt < DEMAND_SECONDS && wantedAt - now <= AHEAD_SECONDS && isUsable(box))
    .map(({ box, wantedAt }) => ({ box: widenToGrid(box), wantedAt }))
    .sort((a, b) => sizeOf(b.box) - sizeOf(a.box) || compareNames(a, b));
  const areas: VehicleDemand[] = [];
  for (const demand of current) {
    const i = areas.findIndex(({ box }) => containsBox(box, demand.box));
    if (i < 0) areas.push(demand);
    else if (areas[i]!.wantedAt < demand.wantedAt) areas[i] = { ...areas[i]!, wantedAt: demand.wantedAt };
  }
  return areas.sort((a, b) => b.wantedAt - a.wantedAt || compareNames(a, b)).slice(0, MAX_AREAS);
}

function isUsable({ south, west, north, east }: GeoBox): boolean {
  const isOnEarth = south >= -90 && north <= 90 && west >= -180 && east <= 180;
  return isOnEarth && south <= north && west <= east && Math.max(north - south, east - west) <= MAX_WIDENED_DEGREES;
}

function sizeOf({ south, west, north, east }: GeoBox): number {
  return (north - south) * (east - west);
}

function compareNames(a: VehicleDemand, b: VehicleDemand): number {
  const [one, other] = [nameArea(a.box), nameArea(b.box)];
  return one < other ? -1 : one > other ? 1 : 0;
}

// ---- Polled coverage -----------------------------------------------------------------------------

const COVERAGE_CELLS_PER_DEGREE = 4;

/** The cell of a quarter degree around a place, in which the coverage of polled vehicles is recorded. */
export function nameCoverageCell(lat: number, lon: number): string {
  return `${Math.floor(lat * COVERAGE_CELLS_PER_DEGREE)},${Math.floor(lon * COVERAGE_CELLS_PER_DEGREE)}`;
}

/** Cells that a box touches: at most a hundred for the largest box of a request. */
export function listCoverageCells({ south, west, north, east }: GeoBox): string[] {
  const cells: string[] = [];
  const at = (degrees: number) => Math.floor(degrees * COVERAGE_CELLS_PER_DEGREE);
  for (let row = at(south); row <= at(north); row++) {
    for (let column = at(west); column <= at(east); column++) cells.push(`${row},${column}`);
  }
  return cells;
}
