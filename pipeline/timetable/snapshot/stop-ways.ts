import KDBush from 'kdbush';
import { forEachConcurrently } from '../../effects/concurrency.ts';
import type { Log } from '../../effects/log.ts';
import { distanceMeters, isCoordinate, METERS_PER_DEGREE, RADIANS_PER_DEGREE } from '../../model/geo.ts';
import { CHANGE_WALK_METERS, STRAIGHT_LINE_FACTOR, straightWalkMeters } from '../../model/walking.ts';
import type { TimetableTables } from '../../snapshots/timetable-contract.ts';
import type { Point, WalkProfile, WalkRouter } from '../../streets/walk-router.ts';
import { append, emptyList, type TransferRules, toArray, verdicts } from './transfer-rules.ts';

/** Relations of two stops. `named`: only by a rule of transfers.txt. */
export const relations = ['sameStop', 'sameStation', 'near', 'named'] as const;
export type Relation = (typeof relations)[number];

/** Pairs of stops with transfers between them, including each stop with itself; by `a`, then `b`. */
interface StopPairs {
  /** Never greater than `b`: both directions are one pair. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** Position in `relations`. */
  readonly relation: Uint8Array;
  /** 1 if a rule names the pair, whatever its relation. */
  readonly isNamed: Uint8Array;
  /** Walking distance; 0 if unknown. */
  readonly meters: Int32Array;
  /** -1 without a wheelchair-accessible way. */
  readonly wheelchairMeters: Int32Array;
}

/** The same pairs, by stop. */
export interface StopWays {
  /** One more than there are stops: walks from stop s are rows `starts[s] .. starts[s + 1]`. */
  readonly starts: Int32Array;
  /** By `from`, then `to`. */
  readonly to: Int32Array;
  /** Row of `pairs`. */
  readonly pair: Int32Array;
  readonly pairs: StopPairs;
}

type PlacedStops = Pick<
  TimetableTables['stops'],
  'lat' | 'lon' | 'station' | 'firstMember' | 'memberCount' | 'stopCallCount'
>;

/**
 * Criterion for nearby stops: without streets, the straight-line distance with its detour allowance is at most the
 * longest walk; with streets, all stops that may turn out to be that near.
 */
type Nearness = 'byStraightWay' | 'byStraightLine';

/** Pairs of stops of one station, near each other, or named by rules, with the straight-line distance. */
export function findStopPairs(
  stops: PlacedStops,
  members: Int32Array,
  rules: TransferRules,
  nearness: Nearness,
): StopPairs {
  const findNear = indexStops(stops, nearness);
  const findNamed = indexNamed(stops, members, rules);
  const [a, b, relation, isNamed] = [emptyList(), emptyList(), emptyList(), emptyList()];
  for (let from = 0; from < stops.lat.length; from++) {
    if (stops.stopCallCount[from] === 0) continue;
    const near = findNear(from);
    const named = findNamed(from);
    const others = new Set([...listMembers(stops, members, stops.station[from]!), ...near, ...named]);
    for (const to of Int32Array.from(others).sort()) {
      if (to < from) continue;
      append(a, from);
      append(b, to);
      append(relation, relations.indexOf(relate(stops, from, to, near)));
      append(isNamed, Number(named.has(to)));
    }
  }
  return describePairs(stops, toArray(a), toArray(b), toArray(relation), toArray(isNamed));
}

function relate(stops: PlacedStops, a: number, b: number, nearA: ReadonlySet<number>): Relation {
  if (a === b) return 'sameStop';
  if (stops.station[a] === stops.station[b]) return 'sameStation';
  return nearA.has(b) ? 'near' : 'named';
}

function describePairs(
  stops: PlacedStops,
  a: Int32Array,
  b: Int32Array,
  relation: Int32Array,
  isNamed: Int32Array,
): StopPairs {
  // Without coordinates the straight-line distance is NaN, which is stored as 0.
  const meters = a.map((stop, pair) => {
    const other = b[pair]!;
    return stop === other
      ? 0
      : straightWalkMeters(stops.lat[stop]!, stops.lon[stop]!, stops.lat[other]!, stops.lon[other]!);
  });
  const columns = { relation: Uint8Array.from(relation), isNamed: Uint8Array.from(isNamed) };
  return { a, b, ...columns, meters, wheelchairMeters: meters.slice() };
}

function listMembers(stops: PlacedStops, members: Int32Array, place: number): Int32Array {
  const first = stops.firstMember[place]!;
  return members.subarray(first, first + stops.memberCount[place]!);
}

/** Boxes are searched with a margin for rounding, and what is found is filtered exactly. */
const BOX_MARGIN_METERS = 1;

/**
 * @returns a function that finds the stops with calls near a stop, including itself; none if its position is unknown
 */
function indexStops(stops: PlacedStops, nearness: Nearness): (stop: number) => ReadonlySet<number> {
  const { lat, lon } = stops;
  const placed: number[] = [];
  for (let stop = 0; stop < lat.length; stop++) {
    if (stops.stopCallCount[stop]! > 0 && isCoordinate(lat[stop]!, lon[stop]!)) placed.push(stop);
  }
  const tree = new KDBush(placed.length);
  for (const stop of placed) tree.add(lon[stop]!, lat[stop]!);
  tree.finish();
  const isStraightWay = nearness === 'byStraightWay';
  const measure = isStraightWay ? straightWalkMeters : distanceMeters;
  const reach = CHANGE_WALK_METERS / (isStraightWay ? STRAIGHT_LINE_FACTOR : 1);
  return (stop) => {
    if (!isCoordinate(lat[stop]!, lon[stop]!)) return new Set();
    const near = listAround(tree, lon[stop]!, lat[stop]!, reach + BOX_MARGIN_METERS);
    const isNear = (other: number) => measure(lat[stop]!, lon[stop]!, lat[other]!, lon[other]!) <= CHANGE_WALK_METERS;
    return new Set(near.map((point) => placed[point]!).filter(isNear));
  };
}

/**
 * The points of a box that contains all within a distance. A search by distance, nearest first, takes several times as
 * long, as it measures the distance to every node of the tree.
 */
function listAround(tree: KDBush, lon: number, lat: number, meters: number): number[] {
  const height = meters / METERS_PER_DEGREE;
  // Degrees of longitude are shortest at the side of the box that is nearer to a pole.
  const shortest = Math.cos(Math.min(90, Math.abs(lat) + height) * RADIANS_PER_DEGREE);
  const width = Math.min(360, height / Math.max(shortest, Number.EPSILON));
  const search = (middle: number) => tree.range(middle - width, lat - height, middle + width, lat + height);
  // A box that crosses the antimeridian continues at the other side of the map.
  const across = Math.abs(lon) + width > 180 ? search(lon - Math.sign(lon) * 360) : [];
  return [...search(lon), ...across];
}

const NO_STOPS: ReadonlySet<number> = new Set();

/** @returns a function that finds the stops with calls that a rule connects, directly or through the station */
function indexNamed(
  stops: PlacedStops,
  members: Int32Array,
  rules: TransferRules,
): (stop: number) => ReadonlySet<number> {
  const partners = new Map<number, Set<number>>();
  const pair = (place: number, other: number) => {
    const known = partners.get(place);
    if (known) known.add(other);
    else partners.set(place, new Set([other]));
  };
  for (let rule = 0; rule < rules.fromStop.length; rule++) {
    if (verdicts[rules.verdict[rule]!] === 'none') continue;
    pair(rules.fromStop[rule]!, rules.toStop[rule]!);
    pair(rules.toStop[rule]!, rules.fromStop[rule]!);
  }
  return (stop) => {
    const places = [stop, stops.station[stop]!].flatMap((place) => [...(partners.get(place) ?? [])]);
    if (places.length === 0) return NO_STOPS;
    return new Set(places.flatMap((place) => [...listMembers(stops, members, place)]));
  };
}

/** Lists the pairs from both ends. */
export function listWays(pairs: StopPairs, stopCount: number): StopWays {
  const starts = new Int32Array(stopCount + 1);
  for (let pair = 0; pair < pairs.a.length; pair++) {
    const [a, b] = [pairs.a[pair]!, pairs.b[pair]!];
    starts[a + 1]!++;
    if (a !== b) starts[b + 1]!++;
  }
  for (let stop = 0; stop < stopCount; stop++) starts[stop + 1]! += starts[stop]!;
  const next = starts.slice();
  const to = new Int32Array(starts[stopCount]!);
  const pairOf = new Int32Array(to.length);
  // Pairs are sorted by their lesser stop, so the walks of each stop are in order.
  for (let pair = 0; pair < pairs.a.length; pair++) {
    const [a, b] = [pairs.a[pair]!, pairs.b[pair]!];
    to[next[a]!] = b;
    pairOf[next[a]!++] = pair;
    if (a === b) continue;
    to[next[b]!] = a;
    pairOf[next[b]!++] = pair;
  }
  return { starts, to, pair: pairOf, pairs };
}

/** Search limit for walks inside stations and those named by the publisher. */
const FURTHEST_METERS = 3000;
/** The street engine runs in the system's pool of four threads. */
const MEASURING_CONCURRENCY = 4;
const STOPS_PER_STEP = 2000;

/** Also the snapshot's value for missing wheelchair access. */
const NO_METERS = -1;
const sameStop = relations.indexOf('sameStop');
const near = relations.indexOf('near');

/**
 * Replaces straight-line distances by walks along streets. Pairs that are near only in a straight line are dropped,
 * unless a rule names them; within a station, and for a rule, the straight line remains if the streets have no walk.
 */
export async function measureStopPairs(
  pairs: StopPairs,
  stops: PlacedStops,
  walks: WalkRouter,
  log: Log,
): Promise<StopPairs> {
  const foot = new Int32Array(pairs.a.length).fill(NO_METERS);
  const wheelchair = foot.slice();
  const waiting = iterateWithProgress(listMeasuredStops(pairs, stops), log);
  await forEachConcurrently(waiting, MEASURING_CONCURRENCY, async (measuredStop) => {
    for (const [profile, meters] of [['foot', foot] as const, ['wheelchair', wheelchair] as const]) {
      await measureStop(measuredStop, profile, { pairs, stops, walks, meters });
    }
  });
  return settle(pairs, foot, wheelchair);
}

function* iterateWithProgress(measuredStops: readonly MeasuredStop[], log: Log): Generator<MeasuredStop> {
  for (const [begun, measuredStop] of measuredStops.entries()) {
    if (begun % STOPS_PER_STEP === 0) log.progress(`walks between stops: ${begun} of ${measuredStops.length} stops`);
    yield measuredStop;
  }
}

/** Pairs from one stop to others, all of them with coordinates. */
interface MeasuredStop {
  readonly stop: number;
  readonly rows: readonly number[];
  readonly maxMeters: number;
}

function listMeasuredStops(pairs: StopPairs, { lat, lon }: PlacedStops): MeasuredStop[] {
  const measuredStops: MeasuredStop[] = [];
  const isPlaced = (stop: number) => isCoordinate(lat[stop]!, lon[stop]!);
  for (let first = 0, end = 0; first < pairs.a.length; first = end) {
    const stop = pairs.a[first]!;
    const rows: number[] = [];
    let maxMeters = CHANGE_WALK_METERS;
    for (end = first; pairs.a[end] === stop; end++) {
      if (pairs.relation[end] === sameStop || !isPlaced(pairs.b[end]!)) continue;
      rows.push(end);
      if (pairs.relation[end] !== near || pairs.isNamed[end]) maxMeters = FURTHEST_METERS;
    }
    if (rows.length > 0 && isPlaced(stop)) measuredStops.push({ stop, rows, maxMeters });
  }
  return measuredStops;
}

interface MeasuredPairs {
  readonly pairs: StopPairs;
  readonly stops: PlacedStops;
  readonly walks: WalkRouter;
  /** Result by pair. */
  readonly meters: Int32Array;
}

async function measureStop(
  { stop, rows, maxMeters }: MeasuredStop,
  profile: WalkProfile,
  { pairs, stops, walks, meters }: MeasuredPairs,
): Promise<void> {
  const { lat, lon } = stops;
  const place = (of: number): Point => ({ lat: lat[of]!, lon: lon[of]! });
  const others = rows.map((row) => place(pairs.b[row]!));
  const found = await walks.measure(place(stop), others, profile, maxMeters);
  for (const [i, row] of rows.entries()) meters[row] = found[i] ?? NO_METERS;
}

/** @param foot metres by pair, or `NO_METERS`; likewise for wheelchairs */
function settle(pairs: StopPairs, foot: Int32Array, wheelchair: Int32Array): StopPairs {
  const settled = { relation: pairs.relation.slice(), meters: pairs.meters.slice(), wheelchairMeters: foot.slice() };
  const kept = emptyList();
  for (let row = 0; row < pairs.a.length; row++) {
    const way = settlePair(
      relations[pairs.relation[row]!]!,
      pairs.isNamed[row] === 1,
      { meters: pairs.meters[row]!, wheelchairMeters: pairs.wheelchairMeters[row]! },
      { meters: foot[row]!, wheelchairMeters: wheelchair[row]! },
    );
    if (way === null) continue;
    settled.relation[row] = relations.indexOf(way.relation);
    settled.meters[row] = way.meters;
    settled.wheelchairMeters[row] = way.wheelchairMeters;
    append(kept, row);
  }
  const rows = toArray(kept);
  return {
    a: rows.map((row) => pairs.a[row]!),
    b: rows.map((row) => pairs.b[row]!),
    relation: Uint8Array.from(rows, (row) => settled.relation[row]!),
    isNamed: Uint8Array.from(rows, (row) => pairs.isNamed[row]!),
    meters: rows.map((row) => settled.meters[row]!),
    wheelchairMeters: rows.map((row) => settled.wheelchairMeters[row]!),
  };
}

interface Way {
  readonly meters: number;
  readonly wheelchairMeters: number;
}

/** @returns null if the stops are not a pair */
function settlePair(
  relation: Relation,
  isNamed: boolean,
  straight: Way,
  measured: Way,
): (Way & { readonly relation: Relation }) | null {
  const isKnown = measured.meters !== NO_METERS;
  if (relation === 'sameStop') return { relation, ...straight };
  if (relation === 'sameStation') {
    const hasRamp = measured.wheelchairMeters !== NO_METERS;
    return {
      relation,
      meters: isKnown ? measured.meters : straight.meters,
      wheelchairMeters: hasRamp ? measured.wheelchairMeters : straight.wheelchairMeters,
    };
  }
  const isNear = relation === 'near' && isKnown && measured.meters <= CHANGE_WALK_METERS;
  // A published transfer is walkable even if the streets have no walk.
  if (isNamed) return { relation: isNear ? 'near' : 'named', ...(isKnown ? measured : straight) };
  if (!isNear) return null;
  const isReachable = measured.wheelchairMeters <= CHANGE_WALK_METERS;
  return { relation, meters: measured.meters, wheelchairMeters: isReachable ? measured.wheelchairMeters : NO_METERS };
}
