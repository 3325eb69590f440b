import type { TripCalls } from '../feed/patterns.ts';
import type { FeedColumns } from './read-feeds.ts';

/** A growing column; `values` beyond `length` are undefined. */
export interface Int32List {
  values: Int32Array<ArrayBuffer>;
  length: number;
}

const FIRST_CAPACITY = 1024;

export function emptyList(): Int32List {
  return { values: new Int32Array(FIRST_CAPACITY), length: 0 };
}

export function append(list: Int32List, value: number): void {
  if (list.length === list.values.length) {
    const wider = new Int32Array(list.values.length * 2);
    wider.set(list.values);
    list.values = wider;
  }
  list.values[list.length++] = value;
}

/** The values without the spare capacity. */
export function toArray(list: Int32List): Int32Array<ArrayBuffer> {
  return list.values.slice(0, list.length);
}

/**
 * Outcome of a transfer rule: not possible; the next vehicle waits; a published time; or the default time at any
 * distance.
 */
export const verdicts = ['none', 'timed', 'published', 'usual'] as const;
type Verdict = (typeof verdicts)[number];

/** Transfer rules of types 0 to 3 in transfers.txt; the first of equally specific rules applies. */
export interface TransferRules {
  /** Stops, or stations, whose rules apply at all platforms. */
  readonly fromStop: Int32Array;
  readonly toStop: Int32Array;
  /** Calls that the rule applies to: those of a route (its row), of a trip (count of routes + its row), or any. */
  readonly fromSelector: Int32Array;
  readonly toSelector: Int32Array;
  /** Position in `verdicts`. */
  readonly verdict: Int32Array;
  /** Of `published`, else 0. */
  readonly seconds: Int32Array;
}

export const ANY_CALL = -1;

const MOST_TYPE = 3;
const published = verdicts.indexOf('published');

type StopsOfTrips = Pick<TripCalls, 'tripFirstCall' | 'stop'>;

/**
 * @param station by stop
 * @returns rules that can apply: the trips that they name do call there
 */
export function readTransferRules(
  transfers: FeedColumns['transfers'],
  calls: StopsOfTrips,
  station: Int32Array,
  routeCount: number,
): TransferRules {
  const rows = emptyList();
  const callsThere = (trip: number, stop: number) => trip < 0 || hasCallAt(calls, station, trip, stop);
  for (let row = 0; row < transfers.type.length; row++) {
    if (transfers.type[row]! > MOST_TYPE) continue;
    if (!callsThere(transfers.fromTrip[row]!, transfers.fromStop[row]!)) continue;
    if (callsThere(transfers.toTrip[row]!, transfers.toStop[row]!)) append(rows, row);
  }
  const kept = toArray(rows);
  const verdict = kept.map((row) => verdicts.indexOf(judge(transfers.type[row]!, transfers.seconds[row]!)));
  // A trip belongs to one route, so the trip is sufficient if both are named.
  const select = (route: Int32Array, trip: Int32Array) =>
    kept.map((row) => (trip[row]! >= 0 ? routeCount + trip[row]! : route[row]!));
  return {
    fromStop: kept.map((row) => transfers.fromStop[row]!),
    toStop: kept.map((row) => transfers.toStop[row]!),
    fromSelector: select(transfers.fromRoute, transfers.fromTrip),
    toSelector: select(transfers.toRoute, transfers.toTrip),
    verdict,
    seconds: kept.map((row, rule) => (verdict[rule] === published ? transfers.seconds[row]! : 0)),
  };
}

function hasCallAt({ tripFirstCall, stop }: StopsOfTrips, station: Int32Array, trip: number, place: number): boolean {
  for (let call = tripFirstCall[trip]!; call < tripFirstCall[trip + 1]!; call++) {
    if (stop[call] === place || station[stop[call]!] === place) return true;
  }
  return false;
}

function judge(type: number, seconds: number): Verdict {
  if (type === 1) return 'timed';
  if (type === 3) return 'none';
  return seconds >= 0 ? 'published' : 'usual';
}

/** @returns by trip: 0, or a distinct number for each trip that rules name */
export function numberNamedTrips(rules: TransferRules, tripCount: number, routeCount: number): Int32Array {
  const numbers = new Int32Array(tripCount);
  const eachSelector = (selector: number) => {
    if (selector >= routeCount) numbers[selector - routeCount] = selector - routeCount + 1;
  };
  rules.fromSelector.forEach(eachSelector);
  rules.toSelector.forEach(eachSelector);
  return numbers;
}

/** Calls at a stop to which the same rules apply, on one side of a transfer. */
export interface CallGroup {
  readonly stop: number;
  /** Selectors that rules name there and that match the calls, or `ANY_CALL`. */
  readonly route: number;
  readonly trip: number;
}

/** Precision with which a rule selects the calls of one side: any, by route, by trip. */
type Precision = 0 | 1 | 2;

/** Rules between two places that match the arriving calls, for any departing calls. */
interface RuleBranch {
  readonly branch: number;
  readonly fromPrecision: Precision;
  /** How many of the two sides name the stop itself rather than its station. */
  readonly exactSides: number;
}

/** Index of rules: a tree of places, then arriving calls, then departing calls. */
export interface RuleIndex {
  /** Rules by pair of places: `from * stopCount + to`. */
  readonly pairs: ReadonlyMap<number, number>;
  /** Below a pair, by selector of arriving calls. */
  readonly branches: ReadonlyMap<number, number>;
  /** Below a branch, by selector of departing calls: the first such rule. */
  readonly leaves: ReadonlyMap<number, number>;
  /** 1 for stops that rules name as arrival or departure place, directly or through their station. */
  readonly isFrom: Uint8Array;
  readonly isTo: Uint8Array;
  /** By stop. */
  readonly station: Int32Array;
}

/** Greater than any number of routes and trips, so that two numbers fit in one key. */
const SELECTORS = 2 ** 27;

/**
 * GTFS "Transfer specificity", by the precision of both sides: both trips, one trip and one route, one trip, both
 * routes, one route, none.
 */
const specificity = [
  [0, 1, 3],
  [1, 2, 4],
  [3, 4, 5],
] as const;
const EXACTNESS_RANKS = 3;

export function indexRules(rules: TransferRules, station: Int32Array): RuleIndex {
  const pairs = new Map<number, number>();
  const branches = new Map<number, number>();
  const leaves = new Map<number, number>();
  for (let rule = 0; rule < rules.fromStop.length; rule++) {
    const pair = getNumber(pairs, rules.fromStop[rule]! * station.length + rules.toStop[rule]!);
    const branch = getNumber(branches, keyOf(pair, rules.fromSelector[rule]!));
    const leaf = keyOf(branch, rules.toSelector[rule]!);
    if (!leaves.has(leaf)) leaves.set(leaf, rule);
  }
  const isFrom = markStops(rules.fromStop, station);
  return { pairs, branches, leaves, isFrom, isTo: markStops(rules.toStop, station), station };
}

function markStops(places: Int32Array, station: Int32Array): Uint8Array {
  const marks = new Uint8Array(station.length);
  for (const place of places) marks[place] = 1;
  return marks.map((mark, stop) => mark | marks[station[stop]!]!);
}

function getNumber(numbers: Map<number, number>, key: number): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

function keyOf(number: number, selector: number): number {
  return number * SELECTORS + selector + 1;
}

/** @returns the rules for transfers from some calls to a stop; null without any, as is the case almost everywhere */
export function findBranches(index: RuleIndex, from: CallGroup, toStop: number): RuleBranch[] | null {
  if (index.isFrom[from.stop] === 0 || index.isTo[toStop] === 0) return null;
  const found: RuleBranch[] = [];
  for (const fromPlace of listPlaces(index, from.stop)) {
    for (const toPlace of listPlaces(index, toStop)) {
      const pair = index.pairs.get(fromPlace * index.station.length + toPlace);
      if (pair === undefined) continue;
      const exactSides = Number(fromPlace === from.stop) + Number(toPlace === toStop);
      for (const [fromPrecision, selector] of listSelectors(from)) {
        const branch = index.branches.get(keyOf(pair, selector));
        if (branch !== undefined) found.push({ branch, fromPrecision, exactSides });
      }
    }
  }
  return found.length > 0 ? found : null;
}

/** @returns the most specific rule for transfers to some calls, the first of equal ones; -1 without any */
export function decide(index: RuleIndex, branches: readonly RuleBranch[], to: CallGroup): number {
  let best = -1;
  let bestRank = -1;
  for (const { branch, fromPrecision, exactSides } of branches) {
    for (const [toPrecision, selector] of listSelectors(to)) {
      const rule = index.leaves.get(keyOf(branch, selector));
      if (rule === undefined) continue;
      const rank = specificity[fromPrecision][toPrecision] * EXACTNESS_RANKS + exactSides;
      if (rank < bestRank || (rank === bestRank && rule > best)) continue;
      best = rule;
      bestRank = rank;
    }
  }
  return best;
}

function listPlaces({ station }: RuleIndex, stop: number): number[] {
  return station[stop] === stop ? [stop] : [stop, station[stop]!];
}

function listSelectors({ route, trip }: CallGroup): [Precision, number][] {
  const selectors: [Precision, number][] = [[0, ANY_CALL]];
  if (route !== ANY_CALL) selectors.push([1, route]);
  if (trip !== ANY_CALL) selectors.push([2, trip]);
  return selectors;
}
