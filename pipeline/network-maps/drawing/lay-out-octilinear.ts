import type { MapPoint } from './map-network.ts';
import { directions, OctilinearGrid, turnBetween } from './octilinear-grid.ts';
import { costs, EdgeRouter, type PathEnd, type RoutedPath } from './route-edges.ts';
import type { Schematic } from './schematic.ts';

/** Nodes and edges of a schematic on the drawing, in cells of the grid. */
interface OctilinearLayout {
  readonly nodes: readonly MapPoint[];
  /** Of each edge: its bends, and both ends. */
  readonly paths: readonly (readonly MapPoint[])[];
}

/** Maximum displacements of a node in cells, tried in turn until a path is found. */
const RADII = [1.6, 3, 5];
/** Rounds of improvement by moving single nodes. */
const MAX_ROUNDS = 12;
/** Maximum states visited per layout: a few seconds. */
const MAX_VISITS = 6_000_000;
/** Minimum edge length in cells per section; shorter edges are penalised. */
const MIN_SECTION_CELLS = 1.15;
const SHORT_COST = 6;
const EPSILON = 1e-9;

/**
 * Puts the nodes on an octilinear grid and routes the edges along it, as Bast, Brosi and Storandt (2020): edge by edge
 * on cheapest paths that preserve the order of edges around each node, then node by node to a better cell.
 * @returns null if edges do not fit: more than eight at a node, or no free path
 */
export function layOutOctilinear(schematic: Schematic): OctilinearLayout | null {
  const degrees = countDegrees(schematic);
  if (degrees.some((degree) => degree > 8)) return null;
  let best: GridLayout | null = null;
  for (const radius of RADII) {
    for (const order of orderings(schematic, degrees)) {
      const layout = new GridLayout(schematic, radius);
      if (!order.every((edge) => layout.routeEdge(edge))) continue;
      if (best === null || layout.totalCost() < best.totalCost() - EPSILON) best = layout;
    }
    if (best) break;
  }
  if (!best) return null;
  best.improve();
  return best.present();
}

function countDegrees({ nodes, edges }: Schematic): number[] {
  const degrees = nodes.map(() => 0);
  for (const { from, to } of edges) {
    degrees[from]! += 1;
    degrees[to]! += 1;
  }
  return degrees;
}

/** Orders in which edges are routed: outwards from the busiest node, by lines or by edges around the nodes. */
function orderings({ nodes, edges }: Schematic, degrees: readonly number[]): number[][] {
  const lines = nodes.map(() => 0);
  for (const { from, to, lines: own } of edges) {
    lines[from]! += own.length;
    lines[to]! += own.length;
  }
  return [lines, degrees, nodes.map((_, i) => lines[i]! * degrees[i]!)].map((weights) => growOrder(edges, weights));
}

function growOrder(edges: Schematic['edges'], weights: readonly number[]): number[] {
  const order: number[] = [];
  const isReached = weights.map(() => false);
  const isDone = weights.map(() => false);
  for (let round = 0; round < weights.length; round++) {
    let next = -1;
    for (const [node, weight] of weights.entries()) {
      if (isDone[node]) continue;
      const isBetter = next < 0 || (isReached[node] === isReached[next] ? weight > weights[next]! : isReached[node]!);
      if (isBetter) next = node;
    }
    isDone[next] = true;
    const around = edges.flatMap((edge, i) => ((edge.from === next) !== (edge.to === next) ? [i] : []));
    const otherEnd = (edge: number) => (edges[edge]!.from === next ? edges[edge]!.to : edges[edge]!.from);
    around.sort((a, b) => weights[otherEnd(b)]! - weights[otherEnd(a)]! || a - b);
    for (const edge of around) {
      if (!order.includes(edge)) order.push(edge);
      isReached[otherEnd(edge)] = true;
    }
  }
  return order;
}

/** A layout under construction. */
class GridLayout {
  readonly #schematic: Schematic;
  readonly #grid: OctilinearGrid;
  readonly #router: EdgeRouter;
  readonly #radius: number;
  readonly #cellOf: number[];
  readonly #paths: (RoutedPath | null)[];
  /** By node: its edges, clockwise as in reality. */
  readonly #around: readonly (readonly number[])[];
  /** By node: pairs of edges that lines pass through, with the number of lines. */
  readonly #passing: readonly ReadonlyMap<string, number>[];

  constructor(schematic: Schematic, radius: number) {
    this.#schematic = schematic;
    this.#radius = radius;
    this.#grid = new OctilinearGrid(schematic.nodes.map(({ at }) => at));
    this.#router = new EdgeRouter(this.#grid);
    this.#cellOf = schematic.nodes.map(() => -1);
    this.#paths = schematic.edges.map(() => null);
    this.#around = schematic.nodes.map((_, node) => this.#sortAround(node));
    const passing = schematic.nodes.map(() => new Map<string, number>());
    for (const { node, edgeA, edgeB } of schematic.passages) {
      for (const key of [`${edgeA}-${edgeB}`, `${edgeB}-${edgeA}`])
        passing[node]!.set(key, (passing[node]!.get(key) ?? 0) + 1);
    }
    this.#passing = passing;
  }

  /** Routes an edge, and places its nodes where they have no cell yet. */
  routeEdge(edge: number): boolean {
    const { from, to } = this.#schematic.edges[edge]!;
    const course = [this.#nodeAt(from), this.#nodeAt(to)] as const;
    const path = this.#router.route(this.#endOf(from, edge), this.#endOf(to, edge), course);
    if (!path) return false;
    this.#place(from, path.cells[0]!);
    this.#place(to, path.cells.at(-1)!);
    this.#grid.setPath(path.cells, path.steps, true);
    this.#paths[edge] = path;
    return true;
  }

  totalCost(): number {
    const edges = this.#schematic.edges.reduce((sum, _, edge) => sum + this.#edgeCost(edge), 0);
    return this.#schematic.nodes.reduce((sum, _, node) => sum + this.#nodeCost(node), edges);
  }

  /** Moves nodes one by one to a neighbouring cell while that improves the drawing. */
  improve(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let isBetter = false;
      for (const node of this.#schematic.nodes.keys()) {
        if (this.#cellOf[node]! >= 0 && this.#improveNode(node)) isBetter = true;
        if (this.#router.visits > MAX_VISITS) return;
      }
      if (!isBetter) return;
    }
  }

  present(): OctilinearLayout {
    return {
      nodes: this.#schematic.nodes.map((_, node) => this.#nodeAt(node)),
      paths: this.#paths.map((path) => dropStraight(path!.cells.map((cell) => this.#grid.pointOf(cell)))),
    };
  }

  #improveNode(node: number): boolean {
    const home = this.#cellOf[node]!;
    const near = [-1, 0, 1, 2, 3, 4, 5, 6, 7].map((direction) =>
      direction < 0 ? home : this.#grid.step(home, direction),
    );
    const before = this.#localCost(node);
    const old = this.#around[node]!.map((edge) => this.#paths[edge]!);
    for (const edge of this.#around[node]!) this.#unroute(edge);
    let best = { cost: before, cell: -1, paths: old };
    for (const cell of near) {
      if (cell < 0 || (cell !== home && !this.#grid.isFree(cell))) continue;
      this.#move(node, cell);
      const isRouted = this.#around[node]!.every((edge) => this.routeEdge(edge));
      const cost = isRouted ? this.#localCost(node) : Number.POSITIVE_INFINITY;
      if (cost < best.cost - EPSILON)
        best = { cost, cell, paths: this.#around[node]!.map((edge) => this.#paths[edge]!) };
      for (const edge of this.#around[node]!) this.#unroute(edge);
    }
    this.#move(node, best.cell < 0 ? home : best.cell);
    for (const [i, edge] of this.#around[node]!.entries()) {
      const path = best.paths[i]!;
      this.#grid.setPath(path.cells, path.steps, true);
      this.#paths[edge] = path;
    }
    return best.cell >= 0;
  }

  #localCost(node: number): number {
    const nodes = new Set([node]);
    let cost = 0;
    for (const edge of this.#around[node]!) {
      cost += this.#edgeCost(edge);
      nodes.add(this.#schematic.edges[edge]!.from).add(this.#schematic.edges[edge]!.to);
    }
    for (const one of nodes) cost += this.#nodeCost(one);
    return cost;
  }

  /** Cost of bends, length and course of a path: the part that does not depend on other edges. */
  #edgeCost(edge: number): number {
    const { steps } = this.#paths[edge]!;
    let cost = 0;
    let length = 0;
    for (const [i, direction] of steps.entries()) {
      length += direction % 2 === 0 ? 1 : Math.SQRT2;
      if (i > 0) cost += costs.bend[turnBetween(steps[i - 1]!, direction)]!;
    }
    const wanted = (this.#schematic.edges[edge]!.inner.length + 1) * MIN_SECTION_CELLS;
    return cost + length + SHORT_COST * Math.max(0, wanted - length);
  }

  #nodeCost(node: number): number {
    const at = this.#schematic.nodes[node]!.at;
    const { x, y } = this.#nodeAt(node);
    let cost = costs.moved * Math.hypot(x - at.x, y - at.y);
    const ports = this.#around[node]!.map((edge) => this.#portOf(edge, node));
    for (const [i, port] of ports.entries()) {
      cost += costs.wrongDirection * this.#wrongSteps(node, this.#around[node]![i]!, port);
      for (let j = 0; j < i; j++)
        cost += this.#turnCost(node, this.#around[node]![i]!, this.#around[node]![j]!, port, ports[j]!);
    }
    return cost;
  }

  #turnCost(node: number, edge: number, other: number, port: number, otherPort: number): number {
    const count = this.#passing[node]!.get(`${edge}-${other}`) ?? 0;
    const turn = turnBetween(port, (otherPort + 4) % 8);
    // Edges without a line between them must not be squeezed together either.
    if (count === 0) return turn >= 3 ? costs.bend[1]! / 3 : 0;
    return costs.turnAtNode[turn]! * Math.sqrt(count);
  }

  /** Steps of 45 degrees between the direction of an edge on the grid and in reality. */
  #wrongSteps(node: number, edge: number, port: number): number {
    const steps = Math.abs((this.#angleOf(node, edge) / (Math.PI / 4) - port + 16) % 8);
    return Math.min(steps, 8 - steps);
  }

  #endOf(node: number, edge: number): PathEnd {
    const cell = this.#cellOf[node]!;
    const at = this.#schematic.nodes[node]!.at;
    const near = cell >= 0 ? [{ cell, distance: 0 }] : this.#grid.listNear(at, this.#radius);
    const usable = near.filter((one) => one.cell === cell || this.#grid.isFree(one.cell));
    return {
      cells: new Map(usable.map((one) => [one.cell, costs.moved * one.distance])),
      portCosts: directions.map((_, port) => this.#portCost(node, edge, port)),
    };
  }

  /** Infinite if the edge would change its position in the order, or leave no direction for an edge between. */
  #portCost(node: number, edge: number, port: number): number {
    const around = this.#around[node]!;
    const own = around.indexOf(edge);
    let cost = costs.wrongDirection * this.#wrongSteps(node, edge, port);
    for (let offset = 1; offset < around.length; offset++) {
      const other = around[(own + offset) % around.length]!;
      if (!this.#paths[other]) continue;
      const otherPort = this.#portOf(other, node);
      const clockwise = (otherPort - port + 8) % 8;
      if (clockwise < offset || 8 - clockwise < around.length - offset) return Number.POSITIVE_INFINITY;
      cost += this.#turnCost(node, edge, other, port, otherPort);
    }
    return cost;
  }

  #portOf(edge: number, node: number): number {
    const { steps } = this.#paths[edge]!;
    return this.#schematic.edges[edge]!.from === node ? steps[0]! : (steps.at(-1)! + 4) % 8;
  }

  #place(node: number, cell: number): void {
    this.#cellOf[node] = cell;
    this.#grid.takeCell(cell, node);
  }

  #move(node: number, cell: number): void {
    this.#grid.freeCell(this.#cellOf[node]!);
    this.#place(node, cell);
  }

  #unroute(edge: number): void {
    const path = this.#paths[edge];
    if (path) this.#grid.setPath(path.cells, path.steps, false);
    this.#paths[edge] = null;
  }

  #nodeAt(node: number): MapPoint {
    const cell = this.#cellOf[node]!;
    return cell < 0 ? this.#schematic.nodes[node]!.at : this.#grid.pointOf(cell);
  }

  #angleOf(node: number, edge: number): number {
    const { from, to } = this.#schematic.edges[edge]!;
    const [here, there] = [this.#schematic.nodes[node]!.at, this.#schematic.nodes[from === node ? to : from]!.at];
    const angle = Math.atan2(there.y - here.y, there.x - here.x);
    return angle < 0 ? angle + 2 * Math.PI : angle;
  }

  #sortAround(node: number): number[] {
    const { edges } = this.#schematic;
    const around = edges.flatMap(({ from, to }, edge) => (from === node || to === node ? [edge] : []));
    const otherEnd = (edge: number) => (edges[edge]!.from === node ? edges[edge]!.to : edges[edge]!.from);
    return around.sort((a, b) => {
      const angle = this.#angleOf(node, a) - this.#angleOf(node, b);
      // Parallel edges between two nodes are adjacent at both, in opposite order, or they would cross.
      return Math.abs(angle) > EPSILON ? angle : node < otherEnd(a) ? a - b : b - a;
    });
  }
}

function dropStraight(points: readonly MapPoint[]): MapPoint[] {
  return points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]];
    if (!before || !after) return true;
    return after.x - point.x !== point.x - before.x || after.y - point.y !== point.y - before.y;
  });
}
