import { distanceMeters } from '../../model/geo.ts';
import type { MapEdge, MapNetwork, MapRun, MapStation } from './map-network.ts';
import { pairKey } from './map-network.ts';
import type { DrawnPlace } from './merge-places.ts';
import type { LineRun, TimetableLine } from './read-lines.ts';

/** Minimum share of trips, relative to the line's busiest section; a path with fewer is a diversion and not drawn. */
const MIN_SHARE_OF_LINE = 0.05;
/** An express is drawn through the stations that it passes if that path is at most this much longer; for city rail. */
const MAX_CITY_DETOUR = 1.08;
/** The same for railways, whose stations lie off the straight line. */
const MAX_RAIL_DETOUR = 1.3;
/** Maximum sections of a path that replaces a direct one. */
const MAX_SECTIONS = 40;

/** Builds the network of some lines: frequent paths only, and expresses along the stations that they pass. */
export function buildNetwork(lines: readonly TimetableLine[], places: readonly DrawnPlace[]): MapNetwork {
  const kept = lines.map(({ runs }) => groupByLabel(runs).flatMap(keepFrequent));
  const sections = replaceExpresses(kept, lines, places);
  const rowOf = new Map<number, number>();
  const stations: MapStation[] = [];
  const calls = countCalls(kept);
  const toRow = (place: number) => {
    const known = rowOf.get(place);
    if (known !== undefined) return known;
    const { name, lat, lon } = places[place]!;
    rowOf.set(place, stations.length);
    return stations.push({ name, lat, lon, calls: calls.get(place) ?? 0 }) - 1;
  };
  const runs = kept.flatMap((list, line) => list.map((run) => drawRun(run, line, sections, toRow)));
  const shown = lines.map(({ label, product, color, operator }) => ({ label, product, color, operator }));
  return { lines: shown, stations, runs, edges: listEdges(runs) };
}

/** A drawn line may combine several, of which rare ones are measured by their own trips. */
function groupByLabel(runs: readonly LineRun[]): LineRun[][] {
  const groups = new Map<string, LineRun[]>();
  for (const run of runs) groups.set(run.label, [...(groups.get(run.label) ?? []), run]);
  return [...groups.values()];
}

/** Runs without sections that hardly any trip of the line takes; the most frequent one always. */
function keepFrequent(runs: readonly LineRun[]): LineRun[] {
  const trips = new Map<string, number>();
  for (const { places, datedTrips } of runs) {
    for (const key of listPairs(places)) trips.set(key, (trips.get(key) ?? 0) + datedTrips);
  }
  const least = MIN_SHARE_OF_LINE * Math.max(...trips.values());
  return runs.filter(({ places }, i) => i === 0 || listPairs(places).every((key) => trips.get(key)! >= least));
}

function listPairs(places: readonly number[]): string[] {
  return [...new Set(places.slice(1).map((place, i) => pairKey(places[i]!, place)))];
}

function countCalls(kept: readonly (readonly LineRun[])[]): Map<number, number> {
  const calls = new Map<number, number>();
  for (const { places, datedTrips } of kept.flat()) {
    for (const place of places) calls.set(place, (calls.get(place) ?? 0) + datedTrips);
  }
  return calls;
}

/** By pair of places: the places in between, from the smaller row to the greater; absent for neighbours. */
type Sections = ReadonlyMap<string, readonly number[]>;

/**
 * Finds pairs of places that shorter sections connect almost as directly; shortest pairs first, so that paths consist
 * of sections that are not replaced themselves.
 */
function replaceExpresses(
  kept: readonly (readonly LineRun[])[],
  lines: readonly TimetableLine[],
  places: readonly DrawnPlace[],
): Sections {
  const pairs = new Map<string, { a: number; b: number; meters: number; isCity: boolean }>();
  for (const [line, runs] of kept.entries()) {
    const isCity = ['subway', 'tram'].includes(lines[line]!.product);
    for (const { places: way } of runs) {
      for (let i = 1; i < way.length; i++) {
        const [a, b] = way[i - 1]! < way[i]! ? [way[i - 1]!, way[i]!] : [way[i]!, way[i - 1]!];
        const [from, to] = [places[a]!, places[b]!];
        const meters = distanceMeters(from.lat, from.lon, to.lat, to.lon);
        const known = pairs.get(pairKey(a, b));
        pairs.set(pairKey(a, b), { a, b, meters, isCity: isCity || known?.isCity === true });
      }
    }
  }
  const neighbours = new Map<number, Map<number, number>>();
  const sections = new Map<string, readonly number[]>();
  for (const { a, b, meters, isCity } of [...pairs.values()].sort(
    (x, y) => x.meters - y.meters || x.a - y.a || x.b - y.b,
  )) {
    const way = findWay(neighbours, a, b, meters * (isCity ? MAX_CITY_DETOUR : MAX_RAIL_DETOUR));
    if (way) sections.set(pairKey(a, b), way);
    else {
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        neighbours.set(from, (neighbours.get(from) ?? new Map()).set(to, meters));
      }
    }
  }
  return sections;
}

/** The places on the shortest path between two others, within a limit; null without such a path. */
function findWay(
  neighbours: ReadonlyMap<number, ReadonlyMap<number, number>>,
  from: number,
  to: number,
  maxMeters: number,
): number[] | null {
  const best = new Map<number, { meters: number; before: number; sections: number }>([
    [from, { meters: 0, before: -1, sections: 0 }],
  ]);
  const open = new Set([from]);
  while (open.size > 0) {
    let next = -1;
    for (const place of open) if (next < 0 || best.get(place)!.meters < best.get(next)!.meters) next = place;
    if (next === to) return listBetween(best, to);
    open.delete(next);
    const { meters, sections } = best.get(next)!;
    for (const [place, length] of neighbours.get(next) ?? []) {
      const sum = meters + length;
      if (sum > maxMeters || sections >= MAX_SECTIONS || sum >= (best.get(place)?.meters ?? Number.POSITIVE_INFINITY))
        continue;
      best.set(place, { meters: sum, before: next, sections: sections + 1 });
      open.add(place);
    }
  }
  return null;
}

function listBetween(best: ReadonlyMap<number, { before: number }>, to: number): number[] {
  const between: number[] = [];
  for (let place = best.get(to)!.before; best.get(place)!.before >= 0; place = best.get(place)!.before)
    between.push(place);
  return between.reverse();
}

function drawRun(
  { places, label, datedTrips }: LineRun,
  line: number,
  sections: Sections,
  toRow: (place: number) => number,
): MapRun {
  const stations: number[] = [];
  const isStop: boolean[] = [];
  for (const [i, place] of places.entries()) {
    const before = places[i - 1];
    const between = before === undefined ? undefined : sections.get(pairKey(before, place));
    for (const passed of before !== undefined && between && before > place ? [...between].reverse() : (between ?? [])) {
      stations.push(toRow(passed));
      isStop.push(false);
    }
    stations.push(toRow(place));
    isStop.push(true);
  }
  return { line, label, datedTrips, stations, isStop };
}

function listEdges(runs: readonly MapRun[]): MapEdge[] {
  const edges = new Map<string, { from: number; to: number; lines: Set<number> }>();
  for (const { line, stations } of runs) {
    for (let i = 1; i < stations.length; i++) {
      const [from, to] = [Math.min(stations[i - 1]!, stations[i]!), Math.max(stations[i - 1]!, stations[i]!)];
      const edge = edges.get(pairKey(from, to)) ?? { from, to, lines: new Set<number>() };
      edges.set(pairKey(from, to), edge);
      edge.lines.add(line);
    }
  }
  return [...edges.values()].map(({ from, to, lines }) => ({ from, to, lines: [...lines].sort((a, b) => a - b) }));
}
