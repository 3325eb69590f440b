import { evenSpacing, projectStations } from './even-spacing.ts';
import { layOutOctilinear } from './lay-out-octilinear.ts';
import type { MapNetwork, MapPoint } from './map-network.ts';
import { pointDistance } from './map-network.ts';
import { planarise } from './planarise.ts';
import { contractNetwork, type Schematic } from './schematic.ts';

export type LayoutKind = 'octilinear' | 'geographic';

/** Positions on the drawing; the unit is about one section. */
export interface Layout {
  readonly kind: LayoutKind;
  readonly schematic: Schematic;
  readonly nodes: readonly MapPoint[];
  /** Of each edge, from its first node to its last one. */
  readonly paths: readonly (readonly MapPoint[])[];
  /** Of each edge: its inner stations. */
  readonly inner: readonly (readonly MapPoint[])[];
}

/** If no path is left on the grid, a finer one is tried. */
const FINENESSES = [1, 1.5];

/** Lays a network out on an octilinear grid; if that is impossible, every station keeps its position. */
export function layOut(network: MapNetwork): Layout {
  const geographic = projectStations(network);
  const evened = evenSpacing(network, geographic);
  for (const fineness of FINENESSES) {
    const layout = layOutOnGrid(network, evened, fineness);
    if (layout) return layout;
  }
  return layOutGeographic(network, geographic);
}

function layOutOnGrid(network: MapNetwork, evened: readonly MapPoint[], fineness: number): Layout | null {
  const at = evened.map((point) => scale(point, fineness));
  const schematic = planarise(contractNetwork(network, at));
  const layout = schematic && layOutOctilinear(schematic);
  if (!schematic || !layout) return null;
  const nodes = layout.nodes.map((point) => scale(point, 1 / fineness));
  const paths = layout.paths.map((path) => path.map((point) => scale(point, 1 / fineness)));
  const inner = schematic.edges.map((edge, i) => spreadAlong(paths[i]!, edge.inner.length));
  return { kind: 'octilinear', schematic, nodes, paths, inner };
}

const scale = ({ x, y }: MapPoint, by: number): MapPoint => ({ x: x * by, y: y * by });

function layOutGeographic(network: MapNetwork, at: readonly MapPoint[]): Layout {
  const schematic = contractNetwork(network, at);
  const inner = schematic.edges.map((edge) => edge.inner.map((station) => at[station]!));
  const nodes = schematic.nodes.map((node) => node.at);
  const paths = schematic.edges.map(({ from, to }, i) => [nodes[from]!, ...inner[i]!, nodes[to]!]);
  return { kind: 'geographic', schematic, nodes, paths, inner };
}

/** Points at equal distances along a path, without its ends. */
function spreadAlong(path: readonly MapPoint[], count: number): MapPoint[] {
  const lengths = path.slice(1).map((point, i) => pointDistance(path[i]!, point));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return Array.from({ length: count }, (_, i) => pointAlong(path, lengths, (total * (i + 1)) / (count + 1)));
}

function pointAlong(path: readonly MapPoint[], lengths: readonly number[], distance: number): MapPoint {
  let rest = distance;
  for (const [i, length] of lengths.entries()) {
    if (rest <= length || i === lengths.length - 1) {
      const share = length === 0 ? 0 : rest / length;
      const [a, b] = [path[i]!, path[i + 1]!];
      return { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) };
    }
    rest -= length;
  }
  return path.at(-1)!;
}
