import { METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../model/geo.ts';
import type { MapNetwork, MapPoint } from './map-network.ts';
import { pairKey, pointDistance } from './map-network.ts';
import { intersect } from './planarise.ts';

/** Weight of a station's geographic position, against 1 for the target vector of a section. */
const ANCHOR_WEIGHT = 0.002;
const SWEEPS = 2500;
/** Grid cells per median section length; more give the layout more freedom. */
const CELLS_PER_SECTION = 1.5;
/** Exponent of the true lengths: 0 makes all sections equally long, 1 changes nothing. */
const LENGTH_EXPONENT = 0.25;
const MIN_LENGTH = 0.8;
const MAX_LENGTH = 1.8;
/** Fewer, because each move is compared with all sections. */
const CAREFUL_SWEEPS = 250;

/** Geographic positions of the stations, in cells; north is up. */
export function projectStations({ stations, edges }: MapNetwork): MapPoint[] {
  const middle = stations.reduce((sum, { lat }) => sum + lat, 0) / stations.length;
  const scale = Math.cos(middle * RADIANS_PER_DEGREE);
  const meters = stations.map(({ lat, lon }) => ({ x: lon * METERS_PER_DEGREE * scale, y: -lat * METERS_PER_DEGREE }));
  const lengths = edges.map(({ from, to }) => pointDistance(meters[from]!, meters[to]!)).sort((a, b) => a - b);
  const unit = (lengths[lengths.length >> 1] || 1) / CELLS_PER_SECTION;
  const west = Math.min(...meters.map(({ x }) => x));
  const north = Math.min(...meters.map(({ y }) => y));
  return meters.map(({ x, y }) => ({ x: (x - west) / unit, y: (y - north) / unit }));
}

/**
 * Moves stations so that neighbours are about one section apart in their true direction, which enlarges a dense centre:
 * linear least squares after Wang and Chi (2011), solved by the Gauss-Seidel method. If this makes sections cross that
 * do not cross in reality, it is solved again without the moves that cause it.
 */
export function evenSpacing({ edges }: MapNetwork, geographic: readonly MapPoint[]): MapPoint[] {
  const relaxation = new Relaxation(edges, geographic);
  const evened = relaxation.relax(SWEEPS, () => true);
  const known = listCrossings(edges, geographic);
  if (listCrossings(edges, evened).size <= known.size) return evened;
  const around: number[][] = geographic.map(() => []);
  for (const [i, { from, to }] of edges.entries()) {
    around[from]!.push(i);
    around[to]!.push(i);
  }
  const isPlanar = (station: number, at: readonly MapPoint[]) =>
    around[station]!.every((edge) =>
      edges.every((_, other) => !cross(edges, edge, other, at) || known.has(pairKey(edge, other))),
    );
  return relaxation.relax(CAREFUL_SWEEPS, isPlanar);
}

class Relaxation {
  readonly #geographic: readonly MapPoint[];
  /** By station: its neighbours, and its target position relative to them. */
  readonly #wanted: readonly (readonly { readonly other: number; readonly dx: number; readonly dy: number }[])[];

  constructor(edges: MapNetwork['edges'], geographic: readonly MapPoint[]) {
    const wanted: { other: number; dx: number; dy: number }[][] = geographic.map(() => []);
    for (const { from, to } of edges) {
      const [a, b] = [geographic[from]!, geographic[to]!];
      const length = pointDistance(a, b) || 1;
      const sections = (length / CELLS_PER_SECTION) ** LENGTH_EXPONENT;
      const scale = (Math.min(MAX_LENGTH, Math.max(MIN_LENGTH, sections)) * CELLS_PER_SECTION) / length;
      const [dx, dy] = [(b.x - a.x) * scale, (b.y - a.y) * scale];
      wanted[from]!.push({ other: to, dx: -dx, dy: -dy });
      wanted[to]!.push({ other: from, dx, dy });
    }
    this.#geographic = geographic;
    this.#wanted = wanted;
  }

  /** @param isAllowed whether a station may be at its new position; otherwise it stays during this sweep */
  relax(sweeps: number, isAllowed: (station: number, at: readonly MapPoint[]) => boolean): MapPoint[] {
    const at = this.#geographic.map(({ x, y }) => ({ x, y }));
    for (let sweep = 0; sweep < sweeps; sweep++) {
      for (const station of at.keys()) {
        const before = at[station]!;
        at[station] = this.#best(station, at);
        if (!isAllowed(station, at)) at[station] = before;
      }
    }
    return at;
  }

  #best(station: number, at: readonly MapPoint[]): MapPoint {
    const home = this.#geographic[station]!;
    let [x, y, weight] = [home.x * ANCHOR_WEIGHT, home.y * ANCHOR_WEIGHT, ANCHOR_WEIGHT];
    for (const { other, dx, dy } of this.#wanted[station]!) {
      x += at[other]!.x + dx;
      y += at[other]!.y + dy;
      weight += 1;
    }
    return { x: x / weight, y: y / weight };
  }
}

function listCrossings(edges: MapNetwork['edges'], at: readonly MapPoint[]): Set<string> {
  const crossings = new Set<string>();
  for (let a = 0; a < edges.length; a++) {
    for (let b = a + 1; b < edges.length; b++) if (cross(edges, a, b, at)) crossings.add(pairKey(a, b));
  }
  return crossings;
}

/** Whether two edges cross; those that meet at a station do not. */
function cross(edges: MapNetwork['edges'], a: number, b: number, at: readonly MapPoint[]): boolean {
  const [one, other] = [edges[a]!, edges[b]!];
  if (one.from === other.from || one.from === other.to || one.to === other.from || one.to === other.to) return false;
  const [p, q, r, s] = [at[one.from]!, at[one.to]!, at[other.from]!, at[other.to]!];
  // Most edges are far apart.
  if (Math.max(p.x, q.x) < Math.min(r.x, s.x) || Math.max(r.x, s.x) < Math.min(p.x, q.x)) return false;
  if (Math.max(p.y, q.y) < Math.min(r.y, s.y) || Math.max(r.y, s.y) < Math.min(p.y, q.y)) return false;
  return intersect(p, q, r, s) !== null;
}
