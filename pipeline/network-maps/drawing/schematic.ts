import type { MapNetwork, MapPoint } from './map-network.ts';
import { pairKey, pointDistance } from './map-network.ts';

/** A junction, an end or a bend of the drawing. */
export interface SchematicNode {
  /** Row of the network's stations; -1 for a crossing without a station. */
  readonly station: number;
  readonly at: MapPoint;
  /** Whether it is an ordinary stop of its chain, and a node only because of its position. */
  readonly isBend: boolean;
}

/** A chain of stations between two nodes, with the same lines along its whole length. */
export interface SchematicEdge {
  readonly from: number;
  readonly to: number;
  /** Stations in between, in their order. */
  readonly inner: readonly number[];
  /** Rows of the network's lines, ascending. */
  readonly lines: readonly number[];
}

/** A line that passes a node from one edge to another. */
export interface LinePassage {
  readonly node: number;
  readonly line: number;
  readonly edgeA: number;
  readonly edgeB: number;
}

/** The network with contracted chains, the input of layout and line order. */
export interface Schematic {
  readonly nodes: readonly SchematicNode[];
  readonly edges: readonly SchematicEdge[];
  readonly passages: readonly LinePassage[];
}

/** Minimum distance in cells from the straight line of the chain for a bend that the layout keeps. */
const BEND_CELLS = 2;

/**
 * Contracts chains of stations with the same lines.
 * @param at place of each station, in cells of the grid
 */
export function contractNetwork(network: MapNetwork, at: readonly MapPoint[]): Schematic {
  const around: number[][] = network.stations.map(() => []);
  for (const [i, { from, to }] of network.edges.entries()) {
    around[from]!.push(i);
    around[to]!.push(i);
  }
  const isJunctionAt = network.stations.map((_, station) => isJunction(network, around[station]!));
  const chains = listChains(network, around, isJunctionAt, at);
  const nodeOf = new Map<number, number>();
  const nodes: SchematicNode[] = [];
  const toNode = (station: number) => {
    const known = nodeOf.get(station);
    if (known !== undefined) return known;
    nodeOf.set(station, nodes.length);
    return nodes.push({ station, at: at[station]!, isBend: !isJunctionAt[station] }) - 1;
  };
  const edges = chains.map(({ stations, lines }) => ({
    from: toNode(stations[0]!),
    to: toNode(stations.at(-1)!),
    inner: stations.slice(1, -1),
    lines,
  }));
  return { nodes, edges, passages: listPassages(network, nodes, edges) };
}

function isJunction({ edges }: MapNetwork, around: readonly number[]): boolean {
  if (around.length !== 2) return true;
  const [a, b] = around.map((edge) => edges[edge]!.lines.join());
  return a !== b;
}

interface Chain {
  readonly stations: readonly number[];
  readonly lines: readonly number[];
}

function listChains(
  network: MapNetwork,
  around: readonly (readonly number[])[],
  isNode: boolean[],
  at: readonly MapPoint[],
): Chain[] {
  const isUsed = network.edges.map(() => false);
  const chains: Chain[] = [];
  const follow = (start: number, first: number) => {
    const stations = [start];
    let edge = first;
    for (;;) {
      isUsed[edge] = true;
      const { from, to } = network.edges[edge]!;
      const here = stations.at(-1)! === from ? to : from;
      stations.push(here);
      if (isNode[here] || here === start) break;
      edge = around[here]!.find((other) => other !== edge)!;
    }
    chains.push({ stations, lines: network.edges[first]!.lines });
  };
  for (const [station, edges] of around.entries()) {
    if (isNode[station]) for (const edge of edges) if (!isUsed[edge]) follow(station, edge);
  }
  // The remaining edges form circles without a junction.
  for (const [edge, { from }] of network.edges.entries()) if (!isUsed[edge]) follow(from, edge);
  return chains.flatMap((chain) => splitChain(chain, at));
}

/** Splits a chain at its bends, and a circle into at least three parts. */
function splitChain({ stations, lines }: Chain, at: readonly MapPoint[]): Chain[] {
  const isCircle = stations[0] === stations.at(-1);
  const last = stations.length - 1;
  const cuts = isCircle && last >= 3 ? [0, Math.round(last / 3), Math.round((2 * last) / 3), last] : [0, last];
  const all = cuts
    .slice(1)
    .flatMap((end, i) => findBends(stations, cuts[i]!, end, at))
    .concat(last);
  return all.slice(1).map((end, i) => ({ stations: stations.slice(all[i]!, end + 1), lines }));
}

/** The start of a chain and its bends (Douglas and Peucker 1973), as positions. */
function findBends(stations: readonly number[], from: number, to: number, at: readonly MapPoint[]): number[] {
  let furthest = -1;
  let most = BEND_CELLS;
  for (let i = from + 1; i < to; i++) {
    const distance = distanceToSegment(at[stations[i]!]!, at[stations[from]!]!, at[stations[to]!]!);
    if (distance > most) [furthest, most] = [i, distance];
  }
  if (furthest < 0) return [from];
  return [...findBends(stations, from, furthest, at), ...findBends(stations, furthest, to, at)];
}

export function distanceToSegment(point: MapPoint, a: MapPoint, b: MapPoint): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const squared = dx * dx + dy * dy;
  const share = squared === 0 ? 0 : Math.max(0, Math.min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy) / squared));
  return pointDistance(point, { x: a.x + share * dx, y: a.y + share * dy });
}

/** Lines passing through nodes from edge to edge, by the paths of their trips. */
function listPassages(
  network: MapNetwork,
  nodes: readonly SchematicNode[],
  edges: readonly SchematicEdge[],
): LinePassage[] {
  const nodeAt = new Map(nodes.map(({ station }, node) => [station, node]));
  const edgeOf = new Map<string, number>();
  for (const [edge, { from, to, inner }] of edges.entries()) {
    const stations = [nodes[from]!.station, ...inner, nodes[to]!.station];
    for (let i = 1; i < stations.length; i++) edgeOf.set(pairKey(stations[i - 1]!, stations[i]!), edge);
  }
  const passages = new Map<string, LinePassage>();
  for (const { line, stations } of network.runs) {
    for (let i = 1; i + 1 < stations.length; i++) {
      const node = nodeAt.get(stations[i]!);
      if (node === undefined) continue;
      const before = edgeOf.get(pairKey(stations[i - 1]!, stations[i]!))!;
      const after = edgeOf.get(pairKey(stations[i]!, stations[i + 1]!))!;
      if (before === after) continue;
      const [edgeA, edgeB] = [Math.min(before, after), Math.max(before, after)];
      passages.set([node, line, edgeA, edgeB].join(), { node, line, edgeA, edgeB });
    }
  }
  return [...passages.values()];
}
