import type { MapPoint } from './map-network.ts';
import { directions, type OctilinearGrid, turnBetween } from './octilinear-grid.ts';
import { distanceToSegment } from './schematic.ts';

/** Costs as in Bast, Brosi and Storandt (2020), in lengths of a cell. */
export const costs = {
  /** Cost of a bend within an edge, by turn in steps of 45 degrees; 180 degrees is forbidden. */
  bend: [0, 0.9, 1.8, 3.2, Number.POSITIVE_INFINITY],
  /** Cost of a turn at a node. */
  turnAtNode: [0, 0.8, 1.8, 3.4, 8],
  /** Cost per 45 degrees between the direction of an edge at its node and in reality. */
  wrongDirection: 0.35,
  /** Cost per cell of a node's displacement. */
  moved: 0.9,
  /** Cost per step and cell of distance from the straight line between the ends. */
  offCourse: 0.06,
  /** Extra cost of a diagonal step. */
  diagonal: 0.05,
} as const;

export interface RoutedPath {
  readonly cells: readonly number[];
  /** One fewer than cells: positions in `directions`. */
  readonly steps: readonly number[];
  readonly cost: number;
}

/** Where an edge may begin or end. */
export interface PathEnd {
  /** Cells with the cost of placing the node there. */
  readonly cells: ReadonlyMap<number, number>;
  /** Cost of leaving the node in each direction; infinite if not allowed. */
  readonly portCosts: readonly number[];
}

/** Finds cheapest paths in a grid; searches reuse the same arrays. */
export class EdgeRouter {
  readonly #grid: OctilinearGrid;
  readonly #best: Float64Array;
  readonly #before: Int32Array;
  #seen: number[] = [];
  /** States visited by all searches: a measure of work that is independent of clocks. */
  visits = 0;

  constructor(grid: OctilinearGrid) {
    this.#grid = grid;
    this.#best = new Float64Array(grid.cellCount * 8).fill(Number.POSITIVE_INFINITY);
    this.#before = new Int32Array(grid.cellCount * 8);
  }

  /**
   * The cheapest path over free cells from one of the cells of an end to one of the other's (A*: Hart, Nilsson and Raphael 1968).
   * @param course the straight line that it should follow
   * @returns null without a path
   */
  route(from: PathEnd, to: PathEnd, course: readonly [MapPoint, MapPoint]): RoutedPath | null {
    const grid = this.#grid;
    const queue = new StateQueue();
    const estimate = this.#estimateTo(to);
    let goal: Goal = { cost: Number.POSITIVE_INFINITY, lastCell: -1, lastStep: -1, before: NO_STATE };
    const visit = (cell: number, direction: number, cost: number, before: number) => {
      const next = grid.step(cell, direction);
      if (next < 0 || !grid.canStep(cell, direction)) return;
      const landing = to.cells.get(next);
      const isPassable = grid.isFree(next);
      if (landing === undefined && !isPassable) return;
      const { x, y } = directions[direction]!;
      const off = costs.offCourse * distanceToSegment(grid.pointOf(next), course[0], course[1]);
      const sum = cost + Math.hypot(x, y) + (direction % 2) * costs.diagonal + off;
      const state = next * 8 + direction;
      if (landing !== undefined) {
        const total = sum + landing + to.portCosts[(direction + 4) % 8]!;
        if (total < goal.cost) goal = { cost: total, lastCell: cell, lastStep: direction, before };
      }
      if (!isPassable || sum >= this.#best[state]!) return;
      if (this.#best[state] === Number.POSITIVE_INFINITY) this.#seen.push(state);
      this.#best[state] = sum;
      this.#before[state] = before;
      queue.push(state, sum + estimate(next));
    };
    for (const [cell, cost] of from.cells) {
      for (let direction = 0; direction < 8; direction++) {
        if (from.portCosts[direction]! < Number.POSITIVE_INFINITY) {
          visit(cell, direction, cost + from.portCosts[direction]!, NO_STATE);
        }
      }
    }
    for (let top = queue.pop(); top && top.cost < goal.cost; top = queue.pop()) {
      const { state } = top;
      const cost = this.#best[state]!;
      if (top.cost > cost + estimate((state - (state % 8)) / 8) + EPSILON) continue;
      this.visits += 1;
      const direction = state % 8;
      for (let next = 0; next < 8; next++) {
        const bend = costs.bend[turnBetween(direction, next)]!;
        if (bend < Number.POSITIVE_INFINITY) visit((state - direction) / 8, next, cost + bend, state);
      }
    }
    const path = goal.lastCell < 0 ? null : this.#trace(goal);
    for (const state of this.#seen) this.#best[state] = Number.POSITIVE_INFINITY;
    this.#seen = [];
    return path;
  }

  /** Lower bound of the cost from a cell to an end: the length to the nearest cell of the box around it. */
  #estimateTo({ cells }: PathEnd): (cell: number) => number {
    const points = [...cells.keys()].map((cell) => this.#grid.pointOf(cell));
    const [west, east] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
    const [north, south] = [Math.min(...points.map(({ y }) => y)), Math.max(...points.map(({ y }) => y))];
    return (cell) => {
      const { x, y } = this.#grid.pointOf(cell);
      const dx = Math.max(0, west - x, x - east);
      const dy = Math.max(0, north - y, y - south);
      return Math.max(dx, dy) + (Math.SQRT2 - 1) * Math.min(dx, dy);
    };
  }

  #trace({ cost, lastCell, lastStep, before }: Goal): RoutedPath {
    const grid = this.#grid;
    const cells = [grid.step(lastCell, lastStep), lastCell];
    const steps = [lastStep];
    for (let state = before; state !== NO_STATE; state = this.#before[state]!) {
      const step = state % 8;
      steps.push(step);
      cells.push(grid.step((state - step) / 8, (step + 4) % 8));
    }
    return { cells: cells.reverse(), steps: steps.reverse(), cost };
  }
}

/** Sums of costs in another order differ by less. */
const EPSILON = 1e-9;

/** Before the first step of a path. */
const NO_STATE = -1;

/** The last step of the best known path. */
interface Goal {
  readonly cost: number;
  readonly lastCell: number;
  readonly lastStep: number;
  /** The state before the last step. */
  readonly before: number;
}

/** A binary heap of states by cost, then by state. */
class StateQueue {
  readonly #states: number[] = [];
  readonly #costs: number[] = [];

  push(state: number, cost: number): void {
    let i = this.#states.push(state) - 1;
    this.#costs.push(cost);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#isBefore(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  pop(): { state: number; cost: number } | null {
    const [state, cost] = [this.#states[0], this.#costs[0]];
    if (state === undefined || cost === undefined) return null;
    this.#swap(0, this.#states.length - 1);
    this.#states.pop();
    this.#costs.pop();
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < this.#states.length && this.#isBefore(child, least)) least = child;
      }
      if (least === i) return { state, cost };
      this.#swap(i, least);
      i = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    return (
      this.#costs[a]! - this.#costs[b]! < 0 ||
      (this.#costs[a] === this.#costs[b] && this.#states[a]! < this.#states[b]!)
    );
  }

  #swap(a: number, b: number): void {
    [this.#states[a], this.#states[b]] = [this.#states[b]!, this.#states[a]!];
    [this.#costs[a], this.#costs[b]] = [this.#costs[b]!, this.#costs[a]!];
  }
}
