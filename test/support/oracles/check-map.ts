import { XMLValidator } from 'fast-xml-parser';
import { expect } from 'vitest';
import { overlap } from '../../../pipeline/network-maps/drawing/boxes.ts';
import type { DrawnMap } from '../../../pipeline/network-maps/drawing/draw-map.ts';
import type { Layout } from '../../../pipeline/network-maps/drawing/lay-out.ts';
import { type MapPoint, pairKey } from '../../../pipeline/network-maps/drawing/map-network.ts';
import { markerBox } from '../../../pipeline/network-maps/drawing/place-labels.ts';
import { intersect } from '../../../pipeline/network-maps/drawing/planarise.ts';

/** Checks that hold for every map. */
export function expectSoundMap(map: DrawnMap): void {
  expect(XMLValidator.validate(map.svg)).toBe(true);
  expect(findOverlaps(map)).toEqual([]);
  expect(findLooseSections(map)).toEqual([]);
  if (map.layoutKind !== 'octilinear') return;
  expect(findSlantedPieces(map.layout)).toEqual([]);
  expect(findCrossings(map.layout)).toEqual([]);
}

/** Names that overlap another name, or the marker of a station. */
function findOverlaps({ labels, drawing }: DrawnMap): string[] {
  const found: string[] = [];
  for (const [i, { box, lines }] of labels.entries()) {
    for (const other of labels.slice(i + 1)) {
      if (overlap(box, other.box)) found.push(`${lines.join(' ')} overlaps ${other.lines.join(' ')}`);
    }
    for (const marker of drawing.markers) {
      if (overlap(box, markerBox(marker))) found.push(`${lines.join(' ')} overlaps the marker of ${marker.station}`);
    }
  }
  return found;
}

/** Sections of trips without an edge of their line in the drawing, in the order of the stations. */
function findLooseSections({ network, layout }: DrawnMap): string[] {
  const linesOf = new Map<string, Set<number>>();
  for (const stations of listDrawnChains(layout)) {
    for (const [i, { station, lines }] of stations.chain.entries()) {
      const before = stations.chain[i - 1];
      if (!before) continue;
      const key = pairKey(before.station, station);
      linesOf.set(key, new Set([...(linesOf.get(key) ?? []), ...lines]));
    }
  }
  return network.runs.flatMap(({ line, stations }) =>
    stations.slice(1).flatMap((station, i) => {
      const key = pairKey(stations[i]!, station);
      return linesOf.get(key)?.has(line) ? [] : [`line ${line} is not drawn between ${key}`];
    }),
  );
}

interface DrawnChain {
  readonly chain: readonly { readonly station: number; readonly lines: readonly number[] }[];
}

/** Stations in the order in which edges draw them; where edges cross, each continues straight. */
function listDrawnChains({ schematic }: Layout): DrawnChain[] {
  const isCrossing = (node: number) => schematic.nodes[node]!.station < 0;
  const onward = new Map<string, number>();
  for (const { node, edgeA, edgeB } of schematic.passages) {
    if (!isCrossing(node)) continue;
    onward.set(`${node} ${edgeA}`, edgeB);
    onward.set(`${node} ${edgeB}`, edgeA);
  }
  const chains: DrawnChain[] = [];
  for (const [first, { from, to }] of schematic.edges.entries()) {
    for (const start of [from, to]) {
      if (isCrossing(start)) continue;
      const chain = [{ station: schematic.nodes[start]!.station, lines: schematic.edges[first]!.lines }];
      let [edge, node] = [first, start];
      for (;;) {
        const here = schematic.edges[edge]!;
        const inner = here.from === node ? here.inner : [...here.inner].reverse();
        chain.push(...inner.map((station) => ({ station, lines: here.lines })));
        node = here.from === node ? here.to : here.from;
        if (!isCrossing(node)) break;
        edge = onward.get(`${node} ${edge}`)!;
      }
      chain.push({ station: schematic.nodes[node]!.station, lines: schematic.edges[edge]!.lines });
      chains.push({ chain });
    }
  }
  return chains;
}

const isZero = (value: number) => Math.abs(value) < 1e-6;

/** Pieces of edges that are neither horizontal nor vertical nor diagonal. */
function findSlantedPieces({ paths }: Layout): string[] {
  return paths.flatMap((path, edge) =>
    path.slice(1).flatMap(({ x, y }, i) => {
      const [dx, dy] = [Math.abs(x - path[i]!.x), Math.abs(y - path[i]!.y)];
      return isZero(dx) || isZero(dy) || isZero(dx - dy) ? [] : [`edge ${edge}: ${dx}, ${dy}`];
    }),
  );
}

/** Pairs of edges that cross where there is no node. */
function findCrossings({ paths }: Layout): string[] {
  const pieces = paths.flatMap((path, edge) => path.slice(1).map((to, i) => ({ edge, from: path[i]!, to })));
  const found: string[] = [];
  for (const [i, a] of pieces.entries()) {
    for (const b of pieces.slice(i + 1)) {
      const at = intersect(a.from, a.to, b.from, b.to);
      if (a.edge !== b.edge && at) found.push(`edges ${a.edge} and ${b.edge} cross at ${describePoint(at)}`);
    }
  }
  return found;
}

const describePoint = ({ x, y }: MapPoint) => `${x.toFixed(2)}, ${y.toFixed(2)}`;
