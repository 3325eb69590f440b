import { METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../../pipeline/model/geo.ts';
import type { LonLat } from '../../contract/site-map.ts';

/** The grid has so many cells per tolerance: with more, it follows the distance more closely and takes longer. */
const CELLS = 2;
/** A part that leaves the drawn ways for less than this is not a separate way; in cells. */
const SHORTEST_PART = 3 * CELLS;
/** A part is continued so far along its way beside the drawn one, so that both visibly join; in cells. */
const OVERLAP = 3 * CELLS;

/**
 * Reduces the ways of a line to one where several run side by side, as both directions of a street or a railway do: of
 * each way only the parts remain that are farther than the tolerance from the ways before it.
 * @param ways the most important first
 */
export function mergeWays(ways: readonly (readonly LonLat[])[], toleranceMeters: number): LonLat[][] {
  if (ways.length < 2) return ways.map((way) => [...way]);
  const covered = new CoveredCells(ways[0]![0]![1], toleranceMeters / CELLS);
  return ways.flatMap((way) => {
    const parts = listNewParts(way, covered);
    for (const part of way === ways.at(-1) ? [] : parts) covered.add(part);
    return parts;
  });
}

/** Parts of a way that are not covered, each extended to where it meets what is. */
function listNewParts(way: readonly LonLat[], covered: CoveredCells): LonLat[][] {
  const steps = [...covered.walk(way)];
  const isCovered = steps.map(({ point }) => covered.isNear(point));
  if (!isCovered.includes(true)) return [[...way]];
  const parts: { start: number; end: number }[] = [];
  for (let from = isCovered.indexOf(false); from >= 0; ) {
    const next = isCovered.indexOf(true, from);
    const to = next < 0 ? steps.length - 1 : next;
    const [start, end] = [steps[from]!.at, steps[to]!.at];
    if (end - start > SHORTEST_PART) {
      const last = parts.at(-1);
      if (last && last.end >= start - OVERLAP) last.end = end + OVERLAP;
      else parts.push({ start: start - OVERLAP, end: end + OVERLAP });
    }
    from = next < 0 ? -1 : isCovered.indexOf(false, next);
  }
  return parts.map((part) => {
    const inPart = steps.filter(({ at }) => at >= part.start && at <= part.end);
    // Points between corners serve only to find where a part begins and ends.
    return inPart.filter(({ isCorner }, i) => isCorner || i === 0 || i === inPart.length - 1).map(({ point }) => point);
  });
}

/** A point of a way, and its distance from the beginning in cells. */
interface Step {
  readonly point: LonLat;
  readonly at: number;
  readonly isCorner: boolean;
}

/** The cells of a grid that ways pass, by which is found whether a point is near them. */
class CoveredCells {
  readonly #cells = new Set<number>();
  readonly #size: readonly [lon: number, lat: number];

  constructor(lat: number, cellMeters: number) {
    const degrees = cellMeters / METERS_PER_DEGREE;
    this.#size = [degrees / Math.max(0.1, Math.cos(lat * RADIANS_PER_DEGREE)), degrees];
  }

  isNear(point: LonLat): boolean {
    const cell = this.#cellOf(point);
    return nearCells.some((offset) => this.#cells.has(cell + offset));
  }

  add(way: readonly LonLat[]): void {
    for (const { point } of this.walk(way)) this.#cells.add(this.#cellOf(point));
  }

  /** The corners of a way, and points between them, each at most a cell from the next. */
  *walk(way: readonly LonLat[]): Generator<Step> {
    let before = 0;
    for (const [i, to] of way.entries()) {
      const from = way[i - 1] ?? to;
      const [east, north] = [to[0] - from[0], to[1] - from[1]];
      const length = Math.max(Math.abs(east) / this.#size[0], Math.abs(north) / this.#size[1]);
      const pieces = Math.ceil(length);
      for (let piece = 1; piece < pieces; piece++) {
        const share = piece / pieces;
        const point: LonLat = [from[0] + share * east, from[1] + share * north];
        yield { point, at: before + share * length, isCorner: false };
      }
      before += length;
      yield { point: to, at: before, isCorner: true };
    }
  }

  #cellOf([lon, lat]: LonLat): number {
    return Math.floor(lon / this.#size[0]) * COLUMN + Math.floor(lat / this.#size[1]);
  }
}

/** Distance of the keys of two neighbouring columns; more than the rows of the world have at any tolerance of a metre. */
const COLUMN = 2 ** 26;

/** Cells of a circle whose radius is the tolerance, the nearest first: most ways run close to one another. */
const nearCells = [-2, -1, 0, 1, 2]
  .flatMap((x) => [-2, -1, 0, 1, 2].map((y) => ({ offset: x * COLUMN + y, squared: x * x + y * y })))
  .filter(({ squared }) => squared <= CELLS * CELLS + 1)
  .sort((a, b) => a.squared - b.squared)
  .map(({ offset }) => offset);
