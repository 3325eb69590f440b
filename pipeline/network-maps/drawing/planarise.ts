import type { MapPoint } from './map-network.ts';
import { pointDistance } from './map-network.ts';
import type { LinePassage, Schematic, SchematicEdge, SchematicNode } from './schematic.ts';

/** Maximum crossings for the octilinear layout. */
const MAX_CROSSINGS = 400;

/**
 * Inserts a node at every crossing of edges, so that no edges cross.
 * @returns null if there are too many
 */
export function planarise(schematic: Schematic): Schematic | null {
  const nodes: SchematicNode[] = [...schematic.nodes];
  const edges: SchematicEdge[] = [...schematic.edges];
  let passages: LinePassage[] = [...schematic.passages];
  for (let crossings = 0; ; crossings++) {
    const found = findCrossing(nodes, edges);
    if (!found) return { nodes, edges, passages };
    if (crossings >= MAX_CROSSINGS) return null;
    const node = nodes.push({ station: -1, at: found.at, isBend: false }) - 1;
    for (const edge of [found.a, found.b]) {
      const { from, to, inner, lines } = edges[edge]!;
      const [start, end] = [nodes[from]!.at, nodes[to]!.at];
      const share = pointDistance(start, found.at) / pointDistance(start, end);
      const before = inner.filter((_, i) => (i + 1) / (inner.length + 1) <= share);
      const rest = edges.push({ from: node, to, inner: inner.slice(before.length), lines }) - 1;
      edges[edge] = { from, to: node, inner: before, lines };
      passages = passages.map((passage) => moveEnd(passage, edge, rest, to));
      passages.push(...lines.map((line) => ({ node, line, edgeA: edge, edgeB: rest })));
    }
  }
}

/** After an edge is split, lines that pass its end node come from the remainder. */
function moveEnd(passage: LinePassage, edge: number, rest: number, end: number): LinePassage {
  if (passage.node !== end) return passage;
  return {
    ...passage,
    edgeA: passage.edgeA === edge ? rest : passage.edgeA,
    edgeB: passage.edgeB === edge ? rest : passage.edgeB,
  };
}

function findCrossing(
  nodes: readonly SchematicNode[],
  edges: readonly SchematicEdge[],
): { a: number; b: number; at: MapPoint } | null {
  for (let a = 0; a < edges.length; a++) {
    for (let b = a + 1; b < edges.length; b++) {
      const [one, other] = [edges[a]!, edges[b]!];
      if ([one.from, one.to].some((node) => node === other.from || node === other.to)) continue;
      const at = intersect(nodes[one.from]!.at, nodes[one.to]!.at, nodes[other.from]!.at, nodes[other.to]!.at);
      if (at) return { a, b, at };
    }
  }
  return null;
}

/** The inner point that two segments share; null without one. */
export function intersect(a: MapPoint, b: MapPoint, c: MapPoint, d: MapPoint): MapPoint | null {
  const [abX, abY, cdX, cdY] = [b.x - a.x, b.y - a.y, d.x - c.x, d.y - c.y];
  const determinant = abX * cdY - abY * cdX;
  if (Math.abs(determinant) < 1e-12) return null;
  const s = ((c.x - a.x) * cdY - (c.y - a.y) * cdX) / determinant;
  const t = ((c.x - a.x) * abY - (c.y - a.y) * abX) / determinant;
  if (s <= 1e-9 || s >= 1 - 1e-9 || t <= 1e-9 || t >= 1 - 1e-9) return null;
  return { x: a.x + s * abX, y: a.y + s * abY };
}
