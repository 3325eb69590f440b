import type { NaivePlanFeed } from './naive-plan-feed.ts';
import {
  beginFrom,
  isThere,
  listReaches,
  listStretches,
  mayAlight,
  mayBoard,
  mayRide,
  type NaivePlanQuery,
  type NaiveReach,
  secondsTo,
  secondsWithStay,
  stayAt,
} from './naive-plan-places.ts';
import type { NaiveDeparture, NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { findTransfer, hasTripRules, listNear, type TransferEnd, walkingSeconds } from './naive-plan-transfers.ts';

/** Upper limit of a journey. */
export const HORIZON_SECONDS = 48 * 3600;

/**
 * State of a search, by number of transfers (a result for fewer transfers also holds for more), then by number of
 * passed `via`, then by run or stop.
 */
interface Search {
  readonly network: NaiveNetwork;
  readonly feed: NaivePlanFeed;
  readonly question: NaivePlanQuery;
  readonly from: NaiveReach;
  readonly via: readonly NaiveReach[];
  /** Seconds of walking between successive places; null if there is no walk. */
  readonly stretches: readonly (number | null)[];
  readonly to: NaiveReach;
  /** Index of the first call of a run at which it can be boarded. */
  readonly onBoard: readonly (readonly Uint16Array[])[];
  /** Time from which all departures of a stop have been processed. */
  readonly ready: readonly (readonly Float64Array[])[];
  /** Earliest time of alighting at a stop. */
  readonly off: readonly (readonly Float64Array[])[];
  /** Earliest arrival at the destination. */
  readonly best: number[];
  /** By stop; filled in when a trip is left there. */
  readonly changes: Map<number, readonly StopChange[]>;
  /** Alightings of this round, from which the next round continues. */
  alighted: Standing[];
  walked: Walker[];
  /** Later times are not searched. */
  end: number;
}

interface StopChange {
  readonly other: number;
  readonly seconds: number | null;
}

/** A traveller on board of a run, or just alighted from it. */
interface Standing {
  readonly run: NaiveRun;
  readonly place: number;
  /** Number of passed `via`. */
  readonly passed: number;
}

/** A traveller at a stop, on foot from a place of the query, with the number of passed `via`. */
interface Walker {
  readonly stop: number;
  readonly since: number;
  readonly passed: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const NOWHERE = 0xffff;

/** @returns null if the origin is the destination */
export function openSearch(network: NaiveNetwork, question: NaivePlanQuery): Search | null {
  const { feed, runs } = network;
  if (isThere(feed, question)) return null;
  const reaches = listReaches(feed, question);
  const rounds = <Table>(make: () => Table): Table[][] =>
    Array.from({ length: question.maxTransfers + 1 }, () => Array.from({ length: question.via.length + 1 }, make));
  return {
    network,
    feed,
    question,
    from: reaches[0]!,
    via: reaches.slice(1, -1),
    stretches: listStretches(feed, question).map((meters) =>
      meters === null ? null : walkingSeconds(meters, question.walkSpeedKmh),
    ),
    to: reaches.at(-1)!,
    onBoard: rounds(() => new Uint16Array(runs.length).fill(NOWHERE)),
    ready: rounds(() => new Float64Array(feed.stops.length).fill(NEVER)),
    off: rounds(() => new Float64Array(feed.stops.length).fill(NEVER)),
    best: new Array<number>(question.maxTransfers + 1).fill(NEVER),
    changes: new Map(),
    alighted: [],
    walked: [],
    end: NEVER,
  };
}

/**
 * Processes everything that can be reached by leaving at `time`; the results of later departures are kept.
 * @param longest seconds after which the search ends
 */
export function leaveAt(search: Search, time: number, longest = HORIZON_SECONDS): void {
  search.end = time + longest;
  walkOn(search, { ...settingOut(search), time });
  for (const [stop, rides] of search.from.onDemand) {
    for (const ride of rides) {
      const begin = beginFrom(ride, time);
      if (Number.isFinite(begin)) search.walked.push({ stop, since: begin + ride.seconds, passed: 0 });
    }
  }
  for (let round = 0; round <= search.question.maxTransfers; round++) {
    const { alighted, walked } = search;
    search.alighted = [];
    search.walked = [];
    for (const { stop, since, passed } of walked) lookAt(search, stop, since, round, passed);
    for (const standing of alighted) changeFrom(search, standing, round);
  }
  search.alighted = [];
  search.walked = [];
}

/** A traveller at a place of the query. */
interface AtPlace {
  readonly place: NaiveReach;
  readonly time: number;
  readonly passed: number;
  /** The stop of the place at which the traveller alighted; null after a walk. */
  readonly alightedAt: number | null;
  /** The place before, if the traveller walked from there after a ride. */
  readonly before: NaiveReach | null;
  readonly hasRidden: boolean;
}

/**
 * Processes everything that can be done at a place of the query: walking to the stops around, and to the next place. A
 * traveller who alighted at a stop of the place transfers to its other stops as anywhere else, but may walk beyond
 * them. There is no walk between two places that share the stop of alighting or boarding, unless there is a stay at the
 * one that would be passed on board.
 * @returns time of arrival if the traveller walks to the destination
 */
function walkOn(search: Search, { place, time, passed, alightedAt, before, hasRidden }: AtPlace): number {
  const stay = stayAt(search.question, passed);
  const leaves = time + stay;
  for (const stop of place.meters.keys()) {
    const isShared = stay === 0 && before?.members.has(stop);
    if (place.members.has(stop) && (alightedAt !== null || isShared)) continue;
    search.walked.push({ stop, since: leaves + secondsTo(place, stop, search.question.walkSpeedKmh), passed });
  }
  const stretch = search.stretches[passed] ?? null;
  if (stretch === null) return NEVER;
  const next = search.via[passed];
  if (!next) return leaves + stretch;
  if (stay === 0 && alightedAt !== null && next.members.has(alightedAt)) return NEVER;
  return walkOn(search, {
    place: next,
    time: leaves + stretch,
    passed: passed + 1,
    alightedAt: null,
    // Before the first ride there is no transfer.
    before: hasRidden ? place : null,
    hasRidden,
  });
}

function settingOut({ from }: Search): AtPlace {
  return { place: from, time: 0, passed: 0, alightedAt: null, before: null, hasRidden: false };
}

/** Where the first ride may begin, and the walking time to get there: `since` counts from departure. */
export function listEntries(search: Search): readonly Walker[] {
  walkOn(search, settingOut(search));
  const entries = search.walked;
  search.walked = [];
  return entries;
}

/** Boards everything that departs from a stop at or after a time, unless that was processed before. */
function lookAt(search: Search, stop: number, since: number, round: number, passed: number): void {
  const until = Math.min(search.ready[round]![passed]![stop]!, search.best[round]!, search.end + 1);
  if (since >= until) return;
  for (const { run, place } of listBetween(search.network.departures[stop]!, since, until)) {
    ride(search, run, place, round, passed);
  }
  for (let k = round; k < search.ready.length; k++) lower(search.ready[k]![passed]!, stop, since);
}

function listBetween(departures: readonly NaiveDeparture[], since: number, until: number): NaiveDeparture[] {
  let first = 0;
  let high = departures.length;
  while (first < high) {
    const middle = (first + high) >> 1;
    if (departures[middle]!.time < since) first = middle + 1;
    else high = middle;
  }
  const found: NaiveDeparture[] = [];
  for (let i = first; i < departures.length && departures[i]!.time < until; i++) found.push(departures[i]!);
  return found;
}

/** Rides a run and its continuations, up to the call from which everything is known. */
function ride(search: Search, run: NaiveRun, place: number, round: number, passed: number): void {
  const { feed, question } = search;
  if (!mayRide(run, question) || !mayBoard(feed, run.calls[place]!, question)) return;
  stayOn(search, { run, place, passed: passVias(search, run, place, passed) }, round);
}

function stayOn(search: Search, { run, place: first, passed }: Standing, round: number): void {
  const { feed, question } = search;
  const known = search.onBoard[round]![passed]![run.index]!;
  if (known <= first) return;
  for (let k = round; k < search.onBoard.length; k++) lower(search.onBoard[k]![passed]!, run.index, first);
  for (let place = first + 1; place < run.calls.length; place++) {
    const passedHere = passVias(search, run, place, passed);
    if (mayAlight(feed, run.calls[place]!, question)) alight(search, { run, place, passed: passedHere }, round);
    if (passedHere !== passed) {
      stayOn(search, { run, place, passed: passedHere }, round);
      return;
    }
    if (place === known) return;
  }
  for (const next of run.stays) {
    if (mayRide(next, question))
      stayOn(search, { run: next, place: 0, passed: passVias(search, next, 0, passed) }, round);
  }
}

/** Number of passed `via` when a vehicle calls with the traveller on board; those with a stay are not passed. */
function passVias({ via, question }: Search, run: NaiveRun, place: number, passed: number): number {
  const { stop, isCancelled } = run.calls[place]!;
  let behind = passed;
  while (!isCancelled && stayAt(question, behind + 1) === 0 && via[behind]?.members.has(stop)) behind += 1;
  return behind;
}

function alight(search: Search, standing: Standing, round: number): void {
  const { stop, arrival } = standing.run.calls[standing.place]!;
  if (arrival >= search.best[round]!) return;
  search.alighted.push(standing);
  const { passed } = standing;
  let there = NEVER;
  // At a stop that belongs to two places, a via other than the first may be passed as well.
  for (let behind = 1; behind <= passed; behind++) {
    const place = search.via[behind - 1]!;
    if (!place.members.has(stop)) continue;
    const at = { place, time: arrival, passed: behind, alightedAt: stop, before: null, hasRidden: true };
    there = Math.min(there, walkOn(search, at));
  }
  const ahead = search.via[passed] ?? search.to;
  if (ahead.meters.has(stop)) {
    const time = arrival + secondsTo(ahead, stop, search.question.walkSpeedKmh);
    const isAtEnd = passed === search.via.length;
    const alightedAt = ahead.members.has(stop) ? stop : null;
    there = Math.min(
      there,
      isAtEnd
        ? time
        : walkOn(search, { place: ahead, time, passed: passed + 1, alightedAt, before: null, hasRidden: true }),
    );
  }
  const isLast = passed === search.via.length;
  for (const ride of isLast ? (search.to.onDemand.get(stop) ?? []) : []) {
    there = Math.min(there, beginFrom(ride, arrival) + ride.seconds);
  }
  for (let k = round; k < search.best.length; k++) lower(search.best, k, there);
}

/** @param round of the rides that follow */
function changeFrom(search: Search, { run, place, passed }: Standing, round: number): void {
  const { feed, question, network } = search;
  const { stop, arrival } = run.calls[place]!;
  const off = search.off[round]![passed]!;
  const isFirst = arrival < off[stop]!;
  const via = search.via[passed];
  const withStay = (seconds: number, other: number) =>
    via ? secondsWithStay(seconds, stayAt(question, passed + 1), via, [stop, other]) : null;
  for (let k = round; k < search.off.length; k++) lower(search.off[k]![passed]!, stop, arrival);
  for (const { other, seconds } of listTransfers(search, stop)) {
    if (seconds !== null) {
      if (!isFirst) continue;
      lookAt(search, other, arrival + seconds, round, passed);
      const longer = withStay(seconds, other);
      if (longer !== null) lookAt(search, other, arrival + longer, round, passed + 1);
      continue;
    }
    const until = Math.min(search.best[round]!, search.end + 1);
    for (const next of listBetween(network.departures[other]!, arrival, until)) {
      const change = findTransfer(feed, endOf(run, stop), endOf(next.run, other), question);
      if (change && arrival + change.seconds <= next.time) ride(search, next.run, next.place, round, passed);
      const longer = change && withStay(change.seconds, other);
      if (longer !== null && arrival + longer <= next.time) ride(search, next.run, next.place, round, passed + 1);
    }
  }
}

/** Stops to which a transfer is possible, with its time; null if the time depends on the trips. */
function listTransfers({ feed, question, changes }: Search, stop: number): readonly StopChange[] {
  const known = changes.get(stop);
  if (known) return known;
  const found = listNear(feed, stop).flatMap((other): StopChange | [] => {
    if (hasTripRules(feed, stop, other)) return { other, seconds: null };
    const change = findTransfer(feed, onFootAt(stop), onFootAt(other), question);
    return change ? { other, seconds: change.seconds } : [];
  });
  changes.set(stop, found);
  return found;
}

function onFootAt(stop: number): TransferEnd {
  return { stop, routeId: null, tripId: null };
}

/** The end of a transfer that a run is at a stop. */
export function endOf({ routeId, trip }: NaiveRun, stop: number): TransferEnd {
  return { stop, routeId, tripId: trip?.naive.id ?? null };
}

function lower(table: { [at: number]: number }, at: number, value: number): void {
  if (value < table[at]!) table[at] = value;
}
