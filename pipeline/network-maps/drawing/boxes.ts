import type { MapPoint } from './map-network.ts';

/** A rectangle, possibly rotated. */
export interface LabelBox {
  readonly center: MapPoint;
  /** Unit vector along its length. */
  readonly axis: MapPoint;
  readonly halfLength: number;
  readonly halfHeight: number;
}

/** A rectangle around a segment. */
export function boxAround(from: MapPoint, to: MapPoint, width: number): LabelBox {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const axis = length === 0 ? { x: 1, y: 0 } : { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const center = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  return { center, axis, halfLength: length / 2, halfHeight: width / 2 };
}

/** Whether two rectangles share a point (separating axes). */
export function overlap(a: LabelBox, b: LabelBox): boolean {
  const between = { x: b.center.x - a.center.x, y: b.center.y - a.center.y };
  for (const { axis } of [a, b]) {
    for (const direction of [axis, { x: -axis.y, y: axis.x }]) {
      const distance = Math.abs(between.x * direction.x + between.y * direction.y);
      if (distance >= extentAlong(a, direction) + extentAlong(b, direction)) return false;
    }
  }
  return true;
}

function extentAlong({ axis, halfLength, halfHeight }: LabelBox, direction: MapPoint): number {
  const cosine = Math.abs(axis.x * direction.x + axis.y * direction.y);
  const sine = Math.abs(axis.x * direction.y - axis.y * direction.x);
  return halfLength * cosine + halfHeight * sine;
}

/** The smallest upright rectangle around a box. */
export function boundsOf(box: LabelBox): { west: number; north: number; east: number; south: number } {
  const [x, y] = [extentAlong(box, { x: 1, y: 0 }), extentAlong(box, { x: 0, y: 1 })];
  return { west: box.center.x - x, north: box.center.y - y, east: box.center.x + x, south: box.center.y + y };
}

/** Index of rectangles by tile, so that possible overlaps are found without comparing all. */
export class BoxIndex {
  readonly #tileSize: number;
  readonly #tiles = new Map<string, Set<number>>();
  readonly #boxes = new Map<number, LabelBox>();

  constructor(tileSize: number) {
    this.#tileSize = tileSize;
  }

  add(id: number, box: LabelBox): void {
    this.#boxes.set(id, box);
    for (const key of this.#keysOf(box)) {
      const tile = this.#tiles.get(key) ?? new Set();
      this.#tiles.set(key, tile.add(id));
    }
  }

  remove(id: number): void {
    const box = this.#boxes.get(id);
    if (!box) return;
    for (const key of this.#keysOf(box)) this.#tiles.get(key)?.delete(id);
    this.#boxes.delete(id);
  }

  /** Ids of the boxes that a box overlaps, ascending. */
  findOverlapping(box: LabelBox): number[] {
    const found = new Set<number>();
    for (const key of this.#keysOf(box)) {
      for (const id of this.#tiles.get(key) ?? [])
        if (!found.has(id) && overlap(this.#boxes.get(id)!, box)) found.add(id);
    }
    return [...found].sort((a, b) => a - b);
  }

  #keysOf(box: LabelBox): string[] {
    const { west, north, east, south } = boundsOf(box);
    const tile = (value: number) => Math.floor(value / this.#tileSize);
    const keys: string[] = [];
    for (let row = tile(north); row <= tile(south); row++) {
      for (let column = tile(west); column <= tile(east); column++) keys.push(`${column},${row}`);
    }
    return keys;
  }
}
