import type { NaivePlanFeed, NaiveTransfer } from './naive-plan-feed.ts';

/** One end of a transfer: the stop, and the trip and route there. */
export interface TransferEnd {
  /** Position in the feed's stops. */
  readonly stop: number;
  readonly routeId: string | null;
  readonly tripId: string | null;
}

/** Parameters of a query that affect transfers. */
interface TransferTerms {
  readonly minTransferSeconds: number;
  readonly walkSpeedKmh: number;
  readonly maxWalkMeters: number;
}

interface NaiveTransferWalk {
  readonly kind: 'sameStop' | 'sameStation' | 'walk' | 'timed' | 'published';
  /** Minimum time from arrival to departure. */
  readonly seconds: number;
  /** Walking distance; 0 if unknown. */
  readonly meters: number;
}

const CHANGE_WALK_METERS = 1000;
const EARTH_RADIUS_METERS = 6_371_000;

/**
 * The minimum time of a transfer between two trips, by transfers.txt and the default rules; null if there is no
 * transfer.
 */
export function findTransfer(
  feed: NaivePlanFeed,
  from: TransferEnd,
  to: TransferEnd,
  terms: TransferTerms,
): NaiveTransferWalk | null {
  const rule = findRule(feed, from, to);
  if (rule?.type === 3) return null;
  const { meters } = getPair(feed, from.stop, to.stop);
  if (rule?.type === 1) return { kind: 'timed', seconds: 0, meters: meters || 0 };
  if (rule && rule.minSeconds !== null) {
    return { kind: 'published', seconds: Math.max(rule.minSeconds, terms.minTransferSeconds), meters: meters || 0 };
  }
  const plain = findPlainTransfer(feed, [from.stop, to.stop], meters, terms, rule !== null);
  return plain && { ...plain, seconds: Math.max(plain.seconds, terms.minTransferSeconds) };
}

/** @param isNamed by a rule without a time: then the stops may be as far apart as those of a station */
function findPlainTransfer(
  feed: NaivePlanFeed,
  [from, to]: readonly [number, number],
  meters: number,
  terms: TransferTerms,
  isNamed: boolean,
): NaiveTransferWalk | null {
  if (from === to) return { kind: 'sameStop', seconds: 120, meters: 0 };
  const known = Number.isNaN(meters) ? 0 : meters;
  const seconds = Math.max(180, walkingSeconds(known, terms.walkSpeedKmh) + 120);
  const isOneStation = feed.stops[from]!.station === feed.stops[to]!.station;
  if (isNamed || isOneStation) return { kind: 'sameStation', seconds, meters: known };
  return meters <= Math.min(CHANGE_WALK_METERS, terms.maxWalkMeters) ? { kind: 'walk', seconds, meters } : null;
}

// ---- Rules -------------------------------------------------------------------------------------

/** The most specific rule that fits; the first among equals. */
export function findRule(feed: NaivePlanFeed, from: TransferEnd, to: TransferEnd): NaiveTransfer | null {
  let best: NaiveTransfer | null = null;
  for (const rule of getPair(feed, from.stop, to.stop).rules) {
    if (!fits(rule.fromRoute, from.routeId) || !fits(rule.fromTrip, from.tripId)) continue;
    if (!fits(rule.toRoute, to.routeId) || !fits(rule.toTrip, to.tripId)) continue;
    if (best === null || isMoreSpecific(feed, rule, best, from.stop, to.stop)) best = rule;
  }
  return best;
}

function fits(named: string | null, own: string | null): boolean {
  return named === null || named === own;
}

/** Whether transfers between two stops depend on the trips. */
export function hasTripRules(feed: NaivePlanFeed, from: number, to: number): boolean {
  return getPair(feed, from, to).rules.some((rule) => weighNames(rule) > 0);
}

function isMoreSpecific(
  feed: NaivePlanFeed,
  rule: NaiveTransfer,
  than: NaiveTransfer,
  from: number,
  to: number,
): boolean {
  const exact = ({ fromStop, toStop }: NaiveTransfer) =>
    Number(fromStop === feed.stops[from]!.id) + Number(toStop === feed.stops[to]!.id);
  return weighNames(rule) > weighNames(than) || (weighNames(rule) === weighNames(than) && exact(rule) > exact(than));
}

/** Both trips > one trip and one route > one trip > both routes > one route > none. */
function weighNames({ fromRoute, toRoute, fromTrip, toTrip }: NaiveTransfer): number {
  if (fromTrip !== null && toTrip !== null) return 5;
  if (fromTrip !== null) return toRoute !== null ? 4 : 3;
  if (toTrip !== null) return fromRoute !== null ? 4 : 3;
  if (fromRoute !== null && toRoute !== null) return 2;
  return fromRoute !== null || toRoute !== null ? 1 : 0;
}

/** Facts that are looked up repeatedly for each pair of stops. */
interface StopPair {
  /** Between the two stops or their stations, in file order; types 4 and 5 are not transfers. */
  readonly rules: readonly NaiveTransfer[];
  /** Walking distance; NaN if a coordinate is unknown. */
  readonly meters: number;
}

interface Memory {
  readonly rules: ReadonlyMap<string, readonly NaiveTransfer[]>;
  readonly pairs: Map<number, StopPair>;
}

// Caching is safe: a feed never changes.
const memories = new WeakMap<NaivePlanFeed, Memory>();

function getPair(feed: NaivePlanFeed, from: number, to: number): StopPair {
  const memory = memories.get(feed) ?? { rules: groupRules(feed), pairs: new Map() };
  memories.set(feed, memory);
  const key = from * feed.stops.length + to;
  const known = memory.pairs.get(key) ?? {
    rules: listRules(feed, memory.rules, from, to),
    meters: from === to ? 0 : walkMeters(feed.stops[from]!, feed.stops[to]!),
  };
  memory.pairs.set(key, known);
  return known;
}

function listRules(feed: NaivePlanFeed, byStops: Memory['rules'], from: number, to: number): readonly NaiveTransfer[] {
  const ends = (stop: number) => [...new Set([feed.stops[stop]!.id, feed.stops[feed.stops[stop]!.station]!.id])];
  const found = ends(from).flatMap((a) => ends(to).flatMap((b) => byStops.get(`${a}\n${b}`) ?? []));
  return found.sort((a, b) => feed.transfers.indexOf(a) - feed.transfers.indexOf(b));
}

function groupRules({ transfers }: NaivePlanFeed): Map<string, NaiveTransfer[]> {
  const groups = new Map<string, NaiveTransfer[]>();
  for (const rule of transfers) {
    if (rule.type > 3) continue;
    const key = `${rule.fromStop}\n${rule.toStop}`;
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return groups;
}

const nearStops = new WeakMap<NaivePlanFeed, number[][]>();

/** Stops to which a transfer may lead: of the same station, near, or named by a rule. */
export function listNear(feed: NaivePlanFeed, stop: number): readonly number[] {
  const near = nearStops.get(feed) ?? findNear(feed);
  nearStops.set(feed, near);
  return near[stop]!;
}

function findNear(feed: NaivePlanFeed): number[][] {
  const { stops, transfers } = feed;
  const isNear = (a: number, b: number) =>
    stops[a]!.station === stops[b]!.station || stopMeters(feed, a, b) <= CHANGE_WALK_METERS;
  const served = stops.flatMap((stop, at) => (stop.isServed ? at : []));
  const near = stops.map((stop, a) => new Set(stop.isServed ? served.filter((b) => isNear(a, b)) : []));
  const parts = (id: string) => served.filter((at) => stops[at]!.id === id || stops[stops[at]!.station]!.id === id);
  for (const { type, fromStop, toStop } of transfers) {
    if (type > 3) continue;
    for (const a of parts(fromStop!)) for (const b of parts(toStop!)) near[a]!.add(b);
  }
  return near.map((those) => [...those]);
}

// ---- On foot -----------------------------------------------------------------------------------

/** Between two stops, in whole metres; NaN if a coordinate is unknown. */
export function stopMeters({ stops }: NaivePlanFeed, from: number, to: number): number {
  return from === to ? 0 : walkMeters(stops[from]!, stops[to]!);
}

interface Coordinate {
  readonly lat: number;
  readonly lon: number;
}

/** The great-circle distance plus a third, in whole metres. */
export function walkMeters(a: Coordinate, b: Coordinate): number {
  const radians = Math.PI / 180;
  const north = Math.sin(((b.lat - a.lat) * radians) / 2) ** 2;
  const east = Math.sin(((b.lon - a.lon) * radians) / 2) ** 2;
  const chord = north + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * east;
  return Math.round(1.3 * 2 * EARTH_RADIUS_METERS * Math.atan2(Math.sqrt(chord), Math.sqrt(1 - chord)));
}

export function walkingSeconds(meters: number, speedKmh: number): number {
  return Math.ceil((meters * 3.6) / speedKmh);
}
