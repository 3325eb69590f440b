import type { Layout } from './lay-out.ts';
import type { MapNetwork, MapPoint } from './map-network.ts';
import { pointDistance } from './map-network.ts';
import type { LineOrders } from './order-lines.ts';

/** Sizes of a drawing in pixels. */
export interface DrawingSizes {
  /** Of a unit of the layout. */
  readonly cell: number;
  readonly lineWidth: number;
  /** From the middle of a line to that of its neighbour. */
  readonly pitch: number;
}

/** A part of a line: straight from point to point with rounded bends, or one curve between two points. */
export type LinePart =
  | { readonly kind: 'path'; readonly points: readonly MapPoint[]; readonly radius: number }
  | {
      readonly kind: 'curve';
      readonly from: MapPoint;
      readonly to: MapPoint;
      readonly controls: readonly [MapPoint, MapPoint];
    };

export interface Marker {
  readonly station: number;
  /** For an interchange or an end: a capsule between two points; for a stop: one point per calling line. */
  readonly kind: 'interchange' | 'stop';
  readonly points: readonly MapPoint[];
  readonly center: MapPoint;
  /** Distance from the centre that the marker and the lines take across and along their direction. */
  readonly reach: number;
}

/** Bundles of lines, as obstacles of labels. */
export interface Bundle {
  readonly from: MapPoint;
  readonly to: MapPoint;
  readonly width: number;
}

export interface LineDrawing {
  /** By line. */
  readonly parts: readonly (readonly LinePart[])[];
  readonly markers: readonly Marker[];
  readonly bundles: readonly Bundle[];
}

/** Radius of a bend of the middle of a bundle, in lengths of a cell. */
const BEND_RADIUS = 0.32;
/** Share of an edge's first straight piece within which its lines may swap positions at a node. */
const MAX_NODE_SHARE = 0.42;

/** Draws the lines of a layout side by side, and the markers of their stations. */
export function drawLines(network: MapNetwork, layout: Layout, orders: LineOrders, sizes: DrawingSizes): LineDrawing {
  const drawer = new LineDrawer(network, layout, orders, sizes);
  return { parts: drawer.drawParts(), markers: drawer.drawMarkers(), bundles: drawer.listBundles() };
}

class LineDrawer {
  readonly #network: MapNetwork;
  readonly #layout: Layout;
  readonly #orders: LineOrders;
  readonly #sizes: DrawingSizes;
  /** By edge, in pixels. */
  readonly #paths: readonly (readonly MapPoint[])[];
  /** By node: distance from which edges keep their shape. */
  readonly #reach: readonly number[];
  /** By station: the lines that call there. */
  readonly #calling: readonly ReadonlySet<number>[];

  constructor(network: MapNetwork, layout: Layout, orders: LineOrders, sizes: DrawingSizes) {
    this.#network = network;
    this.#layout = layout;
    this.#orders = orders;
    this.#sizes = sizes;
    this.#paths = layout.paths.map((path) => path.map((point) => this.#scale(point)));
    this.#reach = layout.nodes.map((_, node) => this.#findReach(node));
    const calling = network.stations.map(() => new Set<number>());
    for (const { line, stations, isStop } of network.runs) {
      for (const [i, station] of stations.entries()) if (isStop[i]) calling[station]!.add(line);
    }
    this.#calling = calling;
  }

  drawParts(): LinePart[][] {
    const parts: LinePart[][] = this.#network.lines.map(() => []);
    const { edges, passages } = this.#layout.schematic;
    for (const [edge, { lines }] of edges.entries()) {
      for (const line of lines) {
        const radius = BEND_RADIUS * this.#sizes.cell;
        parts[line]!.push({ kind: 'path', points: this.#linePath(edge, line), radius });
      }
    }
    for (const { node, line, edgeA, edgeB } of passages) {
      const [a, b] = [this.#front(edgeA, node, line), this.#front(edgeB, node, line)];
      const bow = pointDistance(a.at, b.at) * 0.45;
      const controls = [along(a.at, a.inwards, bow), along(b.at, b.inwards, bow)] as const;
      parts[line]!.push({ kind: 'curve', from: a.at, to: b.at, controls });
    }
    for (const [edge, { from, to, lines }] of edges.entries()) {
      for (const node of [from, to]) {
        for (const line of lines) {
          const goesOn = passages.some(
            (one) => one.node === node && one.line === line && (one.edgeA === edge || one.edgeB === edge),
          );
          if (goesOn) continue;
          const front = this.#front(edge, node, line);
          parts[line]!.push({
            kind: 'path',
            points: [front.at, along(front.at, front.inwards, this.#reach[node]!)],
            radius: 0,
          });
        }
      }
    }
    return parts;
  }

  drawMarkers(): Marker[] {
    const { schematic } = this.#layout;
    const atNodes = schematic.nodes.flatMap(({ station }, node) =>
      station < 0 ? [] : [this.#markNode(node, station)],
    );
    const inner = schematic.edges.flatMap((edge, i) =>
      edge.inner.map((station, position) => this.#markInner(i, station, position)),
    );
    return [...atNodes, ...inner].sort((a, b) => a.station - b.station);
  }

  listBundles(): Bundle[] {
    return this.#paths.flatMap((path, edge) => {
      const width = this.#orders[edge]!.length * this.#sizes.pitch;
      return path.slice(1).map((to, i) => ({ from: path[i]!, to, width }));
    });
  }

  #scale({ x, y }: MapPoint): MapPoint {
    return { x: x * this.#sizes.cell, y: y * this.#sizes.cell };
  }

  #offsetOf(edge: number, line: number): number {
    const order = this.#orders[edge]!;
    return (order.indexOf(line) - (order.length - 1) / 2) * this.#sizes.pitch;
  }

  #findReach(node: number): number {
    const { edges } = this.#layout.schematic;
    let widest = 0;
    let shortest = Number.POSITIVE_INFINITY;
    for (const [edge, { from, to }] of edges.entries()) {
      if (from !== node && to !== node) continue;
      const path = this.#paths[edge]!;
      widest = Math.max(widest, this.#orders[edge]!.length);
      const [a, b] = from === node ? [path[0]!, path[1]!] : [path.at(-1)!, path.at(-2)!];
      shortest = Math.min(shortest, pointDistance(a, b));
    }
    return Math.min(shortest * MAX_NODE_SHARE, (widest * this.#sizes.pitch) / 2 + this.#sizes.lineWidth);
  }

  /** The middle of a line from node to node, moved to its side and cut where the nodes begin. */
  #linePath(edge: number, line: number): MapPoint[] {
    const { from, to } = this.#layout.schematic.edges[edge]!;
    const points = offsetPath(this.#paths[edge]!, this.#offsetOf(edge, line));
    const first = along(points[0]!, unit(points[0]!, points[1]!), this.#reach[from]!);
    const last = along(points.at(-1)!, unit(points.at(-1)!, points.at(-2)!), this.#reach[to]!);
    return [first, ...points.slice(1, -1), last];
  }

  /** Where a line leaves an edge for a node, and the direction into the node. */
  #front(edge: number, node: number, line: number): { at: MapPoint; inwards: MapPoint } {
    const points = this.#linePath(edge, line);
    const isStart = this.#layout.schematic.edges[edge]!.from === node;
    const [at, next] = isStart ? [points[0]!, points[1]!] : [points.at(-1)!, points.at(-2)!];
    return { at, inwards: unit(next, at) };
  }

  #markNode(node: number, station: number): Marker {
    const { edges } = this.#layout.schematic;
    const center = this.#scale(this.#layout.nodes[node]!);
    const around = edges.flatMap((edge, i) => (edge.from === node || edge.to === node ? [i] : []));
    const calling = this.#calling[station]!;
    const callingOn = (edge: number) => this.#orders[edge]!.filter((line) => calling.has(line));
    const [widest] = [...around].sort((a, b) => callingOn(b).length - callingOn(a).length);
    const { isBend } = this.#layout.schematic.nodes[node]!;
    const points = callingOn(widest!).map((line) => {
      const { at, inwards } = this.#front(widest!, node, line);
      return along(at, inwards, this.#reach[node]!);
    });
    const bundle = Math.max(...around.map((edge) => this.#orders[edge]!.length)) * this.#sizes.pitch;
    if (isBend) return { station, kind: 'stop', points, center, reach: bundle / 2 };
    const ends = points.length > 0 ? [points[0]!, points.at(-1)!] : [center, center];
    return { station, kind: 'interchange', points: ends, center, reach: bundle / 2 + this.#sizes.lineWidth * 0.6 };
  }

  #markInner(edge: number, station: number, position: number): Marker {
    const center = this.#scale(this.#layout.inner[edge]![position]!);
    const direction = directionAt(this.#paths[edge]!, center);
    const points = this.#orders[edge]!.filter((line) => this.#calling[station]!.has(line)).map((line) => {
      const offset = this.#offsetOf(edge, line);
      return { x: center.x - direction.y * offset, y: center.y + direction.x * offset };
    });
    const reach = (this.#orders[edge]!.length * this.#sizes.pitch) / 2;
    return { station, kind: 'stop', points, center, reach };
  }
}

export function unit(from: MapPoint, to: MapPoint): MapPoint {
  const length = pointDistance(from, to) || 1;
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

function along(from: MapPoint, direction: MapPoint, distance: number): MapPoint {
  return { x: from.x + direction.x * distance, y: from.y + direction.y * distance };
}

/** A path moved to its right by an offset, its bends where the moved pieces meet. */
function offsetPath(path: readonly MapPoint[], offset: number): MapPoint[] {
  const units = path.slice(1).map((point, i) => unit(path[i]!, point));
  return path.map(({ x, y }, i) => {
    const before = units[i - 1] ?? units[i]!;
    const after = units[i] ?? before;
    const [normalX, normalY] = [-(before.y + after.y), before.x + after.x];
    // The mitre is longer than the offset by the cosine of half the turn; a reversal has none.
    const squared = normalX * normalX + normalY * normalY;
    const scale = squared < 0.3 ? 1 : 2 / squared;
    return { x: x + normalX * scale * offset, y: y + normalY * scale * offset };
  });
}

/** Direction of the path piece nearest to a point on the path. */
function directionAt(path: readonly MapPoint[], point: MapPoint): MapPoint {
  let best = { distance: Number.POSITIVE_INFINITY, direction: { x: 1, y: 0 } };
  for (let i = 1; i < path.length; i++) {
    const detour =
      pointDistance(path[i - 1]!, point) + pointDistance(point, path[i]!) - pointDistance(path[i - 1]!, path[i]!);
    if (detour < best.distance - 1e-9) best = { distance: detour, direction: unit(path[i - 1]!, path[i]!) };
  }
  return best.direction;
}
