import type { Schematic } from './schematic.ts';

/** Orders of up to this many lines are tried one by one; longer ones by exchanging pairs. */
const MAX_PERMUTED = 6;
/** Rounds over all edges; the cost never increases. */
const MAX_ROUNDS = 30;
/** Number of starts from different orders; the best result is used. */
const STARTS = 4;
/** Cost of two lines that are adjacent on one edge but not on the next, relative to a crossing. */
const SEPARATION_COST = 0.3;

/** By edge: its lines from left to right, looking from its first node to its last. */
export type LineOrders = readonly (readonly number[])[];

/**
 * Orders the lines on each edge so that few of them cross at the nodes and neighbours stay together: local search on
 * what Bast, Brosi and Storandt (2018) solve as "metro-line node crossing minimisation".
 * @param clockwise by node: its edges, clockwise on the drawing
 */
export function orderLines(schematic: Schematic, clockwise: readonly (readonly number[])[]): LineOrders {
  const counter = new CrossingCounter(schematic, clockwise);
  let best: { orders: readonly number[][]; cost: number } | null = null;
  for (let start = 0; start < STARTS; start++) {
    const orders = schematic.edges.map(({ lines, from, to }) => startOrder(lines, start, from > to));
    descend(schematic, counter, orders);
    const cost = schematic.nodes.reduce((sum, _, node) => sum + counter.costAt(node, orders), 0);
    if (best === null || cost < best.cost) best = { orders, cost };
  }
  return best!.orders;
}

function startOrder(lines: readonly number[], start: number, isReversed: boolean): number[] {
  const order = start >> 1 === 0 ? [...lines] : [...lines].sort((a, b) => (a % 3) - (b % 3) || a - b);
  return (start % 2 === 1) === isReversed ? order : order.reverse();
}

function descend({ edges }: Schematic, counter: CrossingCounter, orders: number[][]): void {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let isBetter = false;
    for (const [edge, { from, to, lines }] of edges.entries()) {
      if (lines.length < 2) continue;
      const cost = () => counter.costAt(from, orders) + counter.costAt(to, orders);
      const before = cost();
      let best = { cost: before, order: orders[edge]! };
      for (const order of listNeighbours(orders[edge]!)) {
        orders[edge] = order;
        const after = cost();
        if (after < best.cost - 1e-9) best = { cost: after, order };
      }
      orders[edge] = best.order;
      if (best.cost < before - 1e-9) isBetter = true;
    }
    if (!isBetter) return;
  }
}

function listNeighbours(order: readonly number[]): number[][] {
  if (order.length <= MAX_PERMUTED) return listPermutations(order);
  const neighbours: number[][] = [[...order].reverse()];
  for (let i = 0; i < order.length; i++) {
    for (let j = 0; j < order.length; j++) {
      if (i === j) continue;
      const moved = [...order];
      moved.splice(j, 0, ...moved.splice(i, 1));
      neighbours.push(moved);
    }
  }
  return neighbours;
}

function listPermutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, i) => {
    const rest = [...items.slice(0, i), ...items.slice(i + 1)];
    return listPermutations(rest).map((tail) => [item, ...tail]);
  });
}

/** Counts the crossings of lines at nodes. */
export class CrossingCounter {
  readonly #schematic: Schematic;
  readonly #clockwise: readonly (readonly number[])[];
  /** By node, then edge: its lines and the edges on which they continue. */
  readonly #onward: readonly ReadonlyMap<number, readonly Onward[]>[];

  constructor(schematic: Schematic, clockwise: readonly (readonly number[])[]) {
    this.#schematic = schematic;
    this.#clockwise = clockwise;
    const onward = schematic.nodes.map(() => new Map<number, Onward[]>());
    const add = (node: number, edge: number, line: number, to: number) =>
      onward[node]!.set(edge, [...(onward[node]!.get(edge) ?? []), { line, to }]);
    for (const { node, line, edgeA, edgeB } of schematic.passages) {
      add(node, edgeA, line, edgeB);
      add(node, edgeB, line, edgeA);
    }
    this.#onward = onward;
  }

  /** Crossings and separations of neighbours at a node. */
  costAt(node: number, orders: LineOrders): number {
    let cost = 0;
    for (const [edge, onward] of this.#onward[node]!) {
      const rank = this.#ranks(edge, node, orders);
      for (let i = 0; i < onward.length; i++) {
        for (let j = i + 1; j < onward.length; j++) {
          cost += this.#pairCost(node, edge, [onward[i]!, onward[j]!], rank, orders);
        }
      }
    }
    return cost;
  }

  #pairCost(
    node: number,
    edge: number,
    [a, b]: readonly [Onward, Onward],
    rank: ReadonlyMap<number, number>,
    orders: LineOrders,
  ): number {
    if (a.line === b.line) return 0;
    const [rankA, rankB] = [rank.get(a.line)!, rank.get(b.line)!];
    const isLeft = rankA < rankB;
    if (a.to === b.to) {
      const there = this.#ranks(a.to, node, orders);
      // Seen from the node, the sides of the other edge are swapped. Both edges count this pair: half each.
      const isCrossed = isLeft === there.get(a.line)! < there.get(b.line)!;
      const wasTogether = Math.abs(rankA - rankB) === 1;
      const isTogether = Math.abs(there.get(a.line)! - there.get(b.line)!) === 1;
      return (isCrossed ? 0.5 : 0) + (wasTogether === isTogether ? 0 : SEPARATION_COST / 2);
    }
    // Looking outwards along the edge, lines that continue on the next edge clockwise are rightmost.
    const around = this.#clockwise[node]!;
    const after = (to: number) => (around.indexOf(to) - around.indexOf(edge) + around.length) % around.length;
    return isLeft === after(a.to) > after(b.to) ? 0 : 1;
  }

  /** Positions of the lines of an edge from left to right, looking outwards from a node. */
  #ranks(edge: number, node: number, orders: LineOrders): ReadonlyMap<number, number> {
    const order = orders[edge]!;
    const isOutwards = this.#schematic.edges[edge]!.from === node;
    return new Map(order.map((line, i) => [line, isOutwards ? i : order.length - 1 - i]));
  }
}

interface Onward {
  readonly line: number;
  readonly to: number;
}
