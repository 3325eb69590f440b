import type { MapPoint } from './map-network.ts';

/** Steps to the eight neighbours of a cell, clockwise on the drawing from east. */
export const directions: readonly MapPoint[] = [
  { x: 1, y: 0 },
  { x: 1, y: 1 },
  { x: 0, y: 1 },
  { x: -1, y: 1 },
  { x: -1, y: 0 },
  { x: -1, y: -1 },
  { x: 0, y: -1 },
  { x: 1, y: -1 },
];

/** Margin of cells around the outermost nodes. */
const MARGIN_CELLS = 4;

const FREE = -1;

/**
 * Occupancy of the grid: at most one node or edge per cell and no crossing diagonals, so that the drawing is planar and
 * octilinear.
 */
export class OctilinearGrid {
  readonly width: number;
  readonly height: number;
  readonly #west: number;
  readonly #north: number;
  /** By cell: its node or edge, as `nodeOwner` or `edgeOwner`. */
  readonly #owner: Int32Array;
  /** By step (cell and direction, both ways): whether an edge uses it. */
  readonly #isTaken: Uint8Array;

  constructor(points: readonly MapPoint[]) {
    this.#west = Math.floor(Math.min(...points.map(({ x }) => x))) - MARGIN_CELLS;
    this.#north = Math.floor(Math.min(...points.map(({ y }) => y))) - MARGIN_CELLS;
    this.width = Math.ceil(Math.max(...points.map(({ x }) => x))) + MARGIN_CELLS - this.#west + 1;
    this.height = Math.ceil(Math.max(...points.map(({ y }) => y))) + MARGIN_CELLS - this.#north + 1;
    this.#owner = new Int32Array(this.width * this.height).fill(FREE);
    this.#isTaken = new Uint8Array(this.width * this.height * 8);
  }

  get cellCount(): number {
    return this.#owner.length;
  }

  /** The middle of a cell, on the drawing. */
  pointOf(cell: number): MapPoint {
    return { x: (cell % this.width) + this.#west, y: Math.floor(cell / this.width) + this.#north };
  }

  /** Cells no further than `radius` from a point, and their distances; the nearest first. */
  listNear({ x, y }: MapPoint, radius: number): { cell: number; distance: number }[] {
    const near: { cell: number; distance: number }[] = [];
    for (let row = Math.ceil(y - radius); row <= y + radius; row++) {
      for (let column = Math.ceil(x - radius); column <= x + radius; column++) {
        const distance = Math.hypot(column - x, row - y);
        const cell = this.#cellAt(column - this.#west, row - this.#north);
        if (distance <= radius && cell >= 0) near.push({ cell, distance });
      }
    }
    return near.sort((a, b) => a.distance - b.distance || a.cell - b.cell);
  }

  /** The neighbour in a direction; -1 beyond the edge of the grid. */
  step(cell: number, direction: number): number {
    const { x, y } = directions[direction]!;
    return this.#cellAt((cell % this.width) + x, Math.floor(cell / this.width) + y);
  }

  isFree(cell: number): boolean {
    return this.#owner[cell] === FREE;
  }

  /** Whether neither the step nor a diagonal across it is used by an edge. */
  canStep(cell: number, direction: number): boolean {
    if (this.#isTaken[cell * 8 + direction] !== 0) return false;
    if (direction % 2 === 0) return true;
    // The two cells beside a diagonal are the ends of the one across.
    const beside = this.step(cell, (direction + 7) % 8);
    return this.#isTaken[beside * 8 + ((direction + 2) % 8)] === 0;
  }

  takeCell(cell: number, owner: number): void {
    this.#owner[cell] = owner;
  }

  freeCell(cell: number): void {
    this.#owner[cell] = FREE;
  }

  /** Occupies or frees the steps of a path and the cells between its ends. */
  setPath(cells: readonly number[], steps: readonly number[], isTaken: boolean): void {
    for (const [i, direction] of steps.entries()) {
      this.#isTaken[cells[i]! * 8 + direction] = isTaken ? 1 : 0;
      this.#isTaken[cells[i + 1]! * 8 + ((direction + 4) % 8)] = isTaken ? 1 : 0;
      if (i > 0) this.#owner[cells[i]!] = isTaken ? PATH_OWNER : FREE;
    }
  }

  #cellAt(column: number, row: number): number {
    return column < 0 || row < 0 || column >= this.width || row >= this.height ? -1 : row * this.width + column;
  }
}

/** Of cells inside of a path; nodes have their rows. */
const PATH_OWNER = 1 << 30;

/** Steps of 45 degrees between two directions: 0 to 4. */
export function turnBetween(a: number, b: number): number {
  const turn = Math.abs(a - b) % 8;
  return turn > 4 ? 8 - turn : turn;
}
