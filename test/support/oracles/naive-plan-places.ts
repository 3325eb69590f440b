import type { NaivePlanFeed } from './naive-plan-feed.ts';
import type { NaiveRun, NaiveRunCall } from './naive-plan-runs.ts';
import { stopMeters, walkingSeconds, walkMeters } from './naive-plan-transfers.ts';

export type NaivePlace = { readonly stopId: string } | { readonly lat: number; readonly lon: number };

/** A query in terms of the feed. */
export interface NaivePlanQuery {
  readonly from: NaivePlace;
  readonly to: NaivePlace;
  readonly via: readonly NaivePlace[];
  /** Minimum stay at each via; absent: none. */
  readonly viaStaySeconds?: readonly number[];
  readonly maxTransfers: number;
  readonly minTransferSeconds: number;
  /** null for all. */
  readonly products: readonly string[] | null;
  readonly walkSpeedKmh: number;
  readonly maxWalkMeters: number;
  readonly wheelchair: boolean;
  /** Absent: on foot. */
  readonly modes?: NaiveModes;
}

/** Ways on wheels, as tables. */
export interface NaiveModes {
  readonly access: NaiveEnd | null;
  readonly egress: NaiveEnd | null;
  readonly bikeOnBoard: boolean;
  readonly direct: { readonly onFoot: boolean; readonly ways: readonly NaiveDirectWay[] } | null;
}

/** How the stops around an end are reached. */
export interface NaiveEnd {
  readonly onFoot: boolean;
  readonly rows: readonly { readonly stopId: string; readonly mode: 'bike' | 'car'; readonly seconds: number }[];
  /** On-demand rides; absent if there are none. */
  readonly onDemand?: readonly (NaiveOnDemand & { readonly stopId: string })[];
}

/** A ride that may begin only within some periods, both ends inclusive. */
export interface NaiveOnDemand {
  readonly seconds: number;
  readonly open: readonly (readonly [from: number, until: number])[];
}

/** The earliest begin from a time on. */
export function beginFrom({ open }: NaiveOnDemand, time: number): number {
  const begins = open.filter(([, until]) => until >= time).map(([from]) => Math.max(from, time));
  return Math.min(Number.POSITIVE_INFINITY, ...begins);
}

/** The latest begin up to a time. */
export function beginUntil({ open }: NaiveOnDemand, time: number): number {
  const begins = open.filter(([from]) => from <= time).map(([, until]) => Math.min(until, time));
  return Math.max(Number.NEGATIVE_INFINITY, ...begins);
}

interface NaiveDirectWay {
  readonly mode: 'bike' | 'car';
  /** By stretch. */
  readonly seconds: readonly number[];
}

export const plainQuestion: Omit<NaivePlanQuery, 'from' | 'to'> = {
  via: [],
  maxTransfers: 8,
  minTransferSeconds: 0,
  products: null,
  walkSpeedKmh: 4.7,
  maxWalkMeters: 1500,
  wheelchair: false,
};

/** Stops of a place. */
export interface NaiveReach {
  /** Stops that belong to the place, as positions in the feed's stops. */
  readonly members: ReadonlySet<number>;
  /** Walking distance in metres to each stop in range; 0 for members, and for those reached on wheels. */
  readonly meters: ReadonlyMap<number, number>;
  /** Seconds to each stop that is reached on wheels. */
  readonly ridden: ReadonlyMap<number, number>;
  /** On-demand rides by stop, in addition to the above. */
  readonly onDemand: ReadonlyMap<number, readonly NaiveOnDemand[]>;
}

export function secondsTo({ meters, ridden }: NaiveReach, stop: number, walkSpeedKmh: number): number {
  return ridden.get(stop) ?? walkingSeconds(meters.get(stop)!, walkSpeedKmh);
}

/** The stops of all places of a query: at its two ends also those that are reached on wheels. */
export function listReaches(feed: NaivePlanFeed, question: NaivePlanQuery): NaiveReach[] {
  const { from, via, to, maxWalkMeters, walkSpeedKmh, modes } = question;
  const reach = (place: NaivePlace) => findReach(feed, place, maxWalkMeters);
  const [first, last] = [reach(from), reach(to)];
  return [
    withWheels(feed, first, modes?.access ?? null, walkSpeedKmh),
    ...via.map(reach),
    withWheels(feed, last, modes?.egress ?? null, walkSpeedKmh),
  ];
}

/** Each stop by the fastest way, on foot if equal. */
function withWheels(feed: NaivePlanFeed, reach: NaiveReach, end: NaiveEnd | null, walkSpeedKmh: number): NaiveReach {
  if (end === null) return reach;
  const { members } = reach;
  const meters = new Map([...reach.meters].filter(([stop]) => end.onFoot || members.has(stop)));
  const ridden = new Map<number, number>();
  for (const { stopId, seconds } of end.rows) {
    const stop = feed.stopAt.get(stopId)!;
    if (members.has(stop) || !feed.stops[stop]!.isServed) continue;
    if (seconds < (ridden.get(stop) ?? Number.POSITIVE_INFINITY)) ridden.set(stop, seconds);
  }
  for (const [stop, seconds] of ridden) {
    const walk = meters.get(stop);
    if (walk !== undefined && walkingSeconds(walk, walkSpeedKmh) <= seconds) ridden.delete(stop);
    else meters.set(stop, 0);
  }
  const onDemand = new Map<number, NaiveOnDemand[]>();
  for (const row of end.onDemand ?? []) {
    const stop = feed.stopAt.get(row.stopId)!;
    if (members.has(stop) || !feed.stops[stop]!.isServed) continue;
    onDemand.set(stop, [...(onDemand.get(stop) ?? []), row]);
  }
  return { members, meters, ridden, onDemand };
}

export function findReach(feed: NaivePlanFeed, place: NaivePlace, maxWalkMeters: number): NaiveReach {
  const query = 'stopId' in place ? feed.stopAt.get(place.stopId)! : -1;
  const members = new Set<number>();
  const meters = new Map<number, number>();
  feed.stops.forEach((stop, at) => {
    if (!stop.isServed) return;
    if (query >= 0 && (at === query || stop.station === query)) {
      members.add(at);
      meters.set(at, 0);
      return;
    }
    const walk = 'stopId' in place ? stopMeters(feed, query, at) : walkMeters(place, stop);
    if (walk <= maxWalkMeters) meters.set(at, walk);
  });
  return { members, meters, ridden: new Map(), onDemand: new Map() };
}

/** Whether the origin and the destination share a stop. */
export function isThere(feed: NaivePlanFeed, { from, via, to }: NaivePlanQuery): boolean {
  if (via.length > 0 || !('stopId' in from) || !('stopId' in to)) return false;
  const [first, second] = [feed.stopAt.get(from.stopId)!, feed.stopAt.get(to.stopId)!];
  return first === second || feed.stops[first]!.station === second || feed.stops[second]!.station === first;
}

/** Walking distance between successive places; null if it is too far or unknown. */
export function listStretches(feed: NaivePlanFeed, { from, via, to, maxWalkMeters }: NaivePlanQuery) {
  const at = (place: NaivePlace) => ('stopId' in place ? feed.stops[feed.stopAt.get(place.stopId)!]! : place);
  const places = [...via, to].map(at);
  return places.map((place, i) => {
    const meters = walkMeters(places[i - 1] ?? at(from), place);
    return meters <= maxWalkMeters ? meters : null;
  });
}

/** Minimum stay at a place: 0 `from`, 1 the first `via` … */
export function stayAt({ viaStaySeconds }: NaivePlanQuery, place: number): number {
  return viaStaySeconds?.[place - 1] ?? 0;
}

/**
 * Minimum time of a transfer during which a via is visited; null if neither of its stops belongs to the via, or if there
 * is no stay.
 */
export function secondsWithStay(
  seconds: number,
  staySeconds: number,
  via: NaiveReach,
  [from, to]: readonly [number, number],
): number | null {
  const ends = [from, to].filter((stop) => via.members.has(stop)).length;
  if (staySeconds === 0 || ends === 0) return null;
  // From and to stops of the via, the transfer is made during the stay.
  return ends === 2 ? Math.max(seconds, staySeconds) : seconds + staySeconds;
}

/** Duration of walking all the way; null if that is not possible. */
export function findDirectSeconds(feed: NaivePlanFeed, question: NaivePlanQuery): number | null {
  if (question.modes?.direct?.onFoot === false) return null;
  let seconds = 0;
  for (const [place, meters] of listStretches(feed, question).entries()) {
    if (meters === null) return null;
    seconds += stayAt(question, place) + walkingSeconds(meters, question.walkSpeedKmh);
  }
  return seconds;
}

// ---- Usable trips ------------------------------------------------------------------------------

export function mayRide(run: NaiveRun, { products, wheelchair, modes }: NaivePlanQuery): boolean {
  if (modes?.bikeOnBoard && run.trip?.isClosedToBikes) return false;
  if (wheelchair && run.trip?.isClosedToWheelchairs) return false;
  return products === null || products.includes(run.product);
}

export function mayBoard(feed: NaivePlanFeed, call: NaiveRunCall, { wheelchair }: NaivePlanQuery): boolean {
  return call.mayBoard && isOpen(feed, call, wheelchair);
}

export function mayAlight(feed: NaivePlanFeed, call: NaiveRunCall, { wheelchair }: NaivePlanQuery): boolean {
  return call.mayAlight && isOpen(feed, call, wheelchair);
}

function isOpen(feed: NaivePlanFeed, { isCancelled, stop }: NaiveRunCall, wheelchair: boolean): boolean {
  return !isCancelled && stop >= 0 && !(wheelchair && feed.stops[stop]!.isClosedToWheelchairs);
}
