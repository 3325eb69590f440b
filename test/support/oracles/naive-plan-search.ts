import type { NaivePlanFeed } from './naive-plan-feed.ts';
import {
  findReach,
  isThere,
  listStretches,
  mayAlight,
  mayBoard,
  mayRide,
  type NaivePlanQuery,
  type NaiveReach,
} from './naive-plan-places.ts';
import type { NaiveDeparture, NaiveNetwork, NaiveRun } from './naive-plan-runs.ts';
import { findTransfer, hasTripRules, listNear, type TransferEnd, walkingSeconds } from './naive-plan-transfers.ts';

/** No journey takes longer. */
export const HORIZON_SECONDS = 48 * 3600;

/**
 * What is known. By the number of changes, and what is known with fewer holds with more; by how many of the `via` are
 * behind; then by run or stop.
 */
interface Search {
  readonly network: NaiveNetwork;
  readonly feed: NaivePlanFeed;
  readonly question: NaivePlanQuery;
  readonly from: NaiveReach;
  readonly via: readonly NaiveReach[];
  /** Seconds on foot from each place to the next; null where nobody walks. */
  readonly stretches: readonly (number | null)[];
  readonly to: NaiveReach;
  /** The first place of a run at which one is on board when it leaves. */
  readonly onBoard: readonly (readonly Uint16Array[])[];
  /** Since when all that leaves from a stop has been looked at. */
  readonly ready: readonly (readonly Float64Array[])[];
  /** When one is off a vehicle at a stop, at the earliest. */
  readonly off: readonly (readonly Float64Array[])[];
  /** When one is there. */
  readonly best: number[];
  /** By stop; filled in when somebody alights there. */
  readonly changes: Map<number, readonly StopChange[]>;
  /** What those who have alighted in this round may do in the next. */
  alighted: Standing[];
  walked: Walker[];
  /** Nothing after it is of interest. */
  end: number;
}

interface StopChange {
  readonly other: number;
  readonly seconds: number | null;
}

/** Somebody on a run, or just off it. */
interface Standing {
  readonly run: NaiveRun;
  readonly place: number;
  /** How many `via` are behind. */
  readonly passed: number;
}

/** Somebody at a stop, on foot from a place of the question, with so many `via` behind. */
interface Walker {
  readonly stop: number;
  readonly since: number;
  readonly passed: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const NOWHERE = 0xffff;

/** @returns null for one who is there already */
export function openSearch(network: NaiveNetwork, question: NaivePlanQuery): Search | null {
  const { feed, runs } = network;
  if (isThere(feed, question)) return null;
  const reach = (place: NaivePlanQuery['from']) => findReach(feed, place, question.maxWalkMeters);
  const rounds = <Table>(make: () => Table): Table[][] =>
    Array.from({ length: question.maxTransfers + 1 }, () => Array.from({ length: question.via.length + 1 }, make));
  return {
    network,
    feed,
    question,
    from: reach(question.from),
    via: question.via.map(reach),
    stretches: listStretches(feed, question).map((meters) =>
      meters === null ? null : walkingSeconds(meters, question.walkSpeedKmh),
    ),
    to: reach(question.to),
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
 * Looks at everything that one can do who leaves at `time`, beside what is known of those who leave later.
 * @param longest seconds after which nothing is of interest
 */
export function leaveAt(search: Search, time: number, longest = HORIZON_SECONDS): void {
  search.end = time + longest;
  walkOn(search, { ...settingOut(search), time });
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

/** Somebody at a place of the question. */
interface AtPlace {
  readonly place: NaiveReach;
  readonly time: number;
  readonly passed: number;
  /** Which of the stops of the place one has alighted at; null for one who has walked there. */
  readonly alightedAt: number | null;
  /** The place before, for one who has walked from there after a ride. */
  readonly before: NaiveReach | null;
  readonly hasRidden: boolean;
}

/**
 * What one can do at a place of the question: walk to the stops around, and to the place after it. Who has alighted at a
 * stop of the place changes to others of them as anywhere, but may walk beyond them. Nobody walks between two places who
 * alights or boards where they are one.
 * @returns when one is there who walks to the end
 */
function walkOn(search: Search, { place, time, passed, alightedAt, before, hasRidden }: AtPlace): number {
  for (const [stop, meters] of place.meters) {
    if (place.members.has(stop) && (alightedAt !== null || before?.members.has(stop))) continue;
    search.walked.push({ stop, since: time + walkingSeconds(meters, search.question.walkSpeedKmh), passed });
  }
  const stretch = search.stretches[passed] ?? null;
  if (stretch === null) return NEVER;
  const next = search.via[passed];
  if (!next) return time + stretch;
  if (alightedAt !== null && next.members.has(alightedAt)) return NEVER;
  return walkOn(search, {
    place: next,
    time: time + stretch,
    passed: passed + 1,
    alightedAt: null,
    // Who has not ridden yet has no change to make.
    before: hasRidden ? place : null,
    hasRidden,
  });
}

function settingOut({ from }: Search): AtPlace {
  return { place: from, time: 0, passed: 0, alightedAt: null, before: null, hasRidden: false };
}

/** Where the first ride may begin, and how long one walks there: `since` counts from setting out. */
export function listEntries(search: Search): readonly Walker[] {
  walkOn(search, settingOut(search));
  const entries = search.walked;
  search.walked = [];
  return entries;
}

/** Boards everything that departs from a stop from a time on, unless it was processed before. */
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

/** Boards a run and stays on it, and on what the vehicle goes on as, up to where what follows is known. */
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

/** How many `via` are behind when a vehicle calls with the traveller on board. */
function passVias({ via }: Search, run: NaiveRun, place: number, passed: number): number {
  const { stop, isCancelled } = run.calls[place]!;
  let behind = passed;
  while (!isCancelled && via[behind]?.members.has(stop)) behind += 1;
  return behind;
}

function alight(search: Search, standing: Standing, round: number): void {
  const { stop, arrival } = standing.run.calls[standing.place]!;
  if (arrival >= search.best[round]!) return;
  search.alighted.push(standing);
  const { passed } = standing;
  let there = NEVER;
  // At a stop of two places one may also have passed but the first.
  for (let behind = 1; behind <= passed; behind++) {
    const place = search.via[behind - 1]!;
    if (!place.members.has(stop)) continue;
    const at = { place, time: arrival, passed: behind, alightedAt: stop, before: null, hasRidden: true };
    there = Math.min(there, walkOn(search, at));
  }
  const ahead = search.via[passed] ?? search.to;
  const meters = ahead.meters.get(stop);
  if (meters !== undefined) {
    const time = arrival + walkingSeconds(meters, search.question.walkSpeedKmh);
    const isAtEnd = passed === search.via.length;
    there = Math.min(
      there,
      isAtEnd
        ? time
        : walkOn(search, { place: ahead, time, passed: passed + 1, alightedAt: null, before: null, hasRidden: true }),
    );
  }
  for (let k = round; k < search.best.length; k++) lower(search.best, k, there);
}

/** @param round of the rides that follow */
function changeFrom(search: Search, { run, place, passed }: Standing, round: number): void {
  const { feed, question, network } = search;
  const { stop, arrival } = run.calls[place]!;
  const off = search.off[round]![passed]!;
  const isFirst = arrival < off[stop]!;
  for (let k = round; k < search.off.length; k++) lower(search.off[k]![passed]!, stop, arrival);
  for (const { other, seconds } of listTransfers(search, stop)) {
    if (seconds !== null) {
      if (isFirst) lookAt(search, other, arrival + seconds, round, passed);
      continue;
    }
    const until = Math.min(search.best[round]!, search.end + 1);
    for (const next of listBetween(network.departures[other]!, arrival, until)) {
      const change = findTransfer(feed, endOf(run, stop), endOf(next.run, other), question);
      if (change && arrival + change.seconds <= next.time) ride(search, next.run, next.place, round, passed);
    }
  }
}

/** Stops to which one may change, and in what time; null where that depends on the trips. */
function listTransfers({ feed, question, changes }: Search, stop: number): readonly StopChange[] {
  const known = changes.get(stop);
  if (known) return known;
  const found = listNear(feed, stop).flatMap((other): StopChange | [] => {
    if (hasTripRules(feed, stop, other)) return { other, seconds: null };
    const change = findTransfer(feed, somebodyAt(stop), somebodyAt(other), question);
    return change ? { other, seconds: change.seconds } : [];
  });
  changes.set(stop, found);
  return found;
}

function somebodyAt(stop: number): TransferEnd {
  return { stop, routeId: null, tripId: null };
}

/** Which end of a change a run is at a stop. */
export function endOf({ routeId, trip }: NaiveRun, stop: number): TransferEnd {
  return { stop, routeId, tripId: trip?.naive.id ?? null };
}

function lower(table: { [at: number]: number }, at: number, value: number): void {
  if (value < table[at]!) table[at] = value;
}
