import { lowerBound } from '../../model/binary-search.ts';
import { SECONDS_PER_DAY } from '../../model/service-time.ts';
import { compareTripNames, type TripLabel, trainNumberOf } from './name-trips.ts';

/** Trips of all feeds, with their calls at merged stations. */
export interface TripSchedule {
  /** Row of `names` by trip. */
  readonly name: Int32Array;
  readonly names: readonly TripLabel[];
  /** By trip: row of its source. */
  readonly source: Uint16Array;
  /** One more than there are trips: the calls of trip t are rows `firstCall[t] .. firstCall[t + 1]`. */
  readonly firstCall: Int32Array;
  /** By call; seconds, of all trips of a service date from the same instant. */
  readonly station: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  /** By trip: 1 for a trip without fixed times, such as that of a frequency. */
  readonly isExcluded: Uint8Array;
  /** By trip: number of published facts; of two trips with equal calls, the one with more facts is shown. */
  readonly facts: Uint8Array;
}

/** The columns by which the calls of two trips are compared. */
type TripCallTimes = Pick<TripSchedule, 'firstCall' | 'station' | 'arrival' | 'departure'>;

/** Reasons for which two trips are one. */
export const tripRules = ['table', 'number', 'line'] as const;
export type TripRule = (typeof tripRules)[number];

/** Two trips that are one on the days on which both run. */
export interface DuplicatePair {
  /** The richer one. */
  readonly shown: number;
  readonly other: number;
  /** Service date of `shown` minus that of `other` in days: 25:10 of one date is 01:10 of the next. */
  readonly dayOffset: number;
  readonly rule: TripRule;
  /** Whether `shown` has all calls of `other`. */
  readonly isComplete: boolean;
}

/** Two trips whose calls are compared, and what is added to the times of `other`. */
export interface ComparedTrips {
  readonly shown: number;
  readonly other: number;
  readonly shiftSeconds: number;
}

export interface TripMergeRules {
  readonly byName: boolean;
  /** Pairs of trips from the operator's table; merged ones need equal times, but no common number or line. */
  readonly merged: readonly (readonly [number, number])[];
  readonly separate: readonly (readonly [number, number])[];
}

/** Offsets between the service dates under which two publishers have a trip after midnight. */
const DAY_OFFSETS = [0, -1, 1];

/** Publishers' plans of the same trip may differ by this much. */
const MAX_DIFFERENCE_SECONDS = 60;
const MIN_CALLS = 2;

/**
 * Finds the trips that are published twice: of the same product class, with the same number or line, and with equal
 * planned instants at all calls that both have, at least two, whatever their service dates. With the same line only, a
 * trip that begins or ends where the other does not call, or takes another way in the feed of the same publisher, is
 * another vehicle; with the same train number it is not.
 * @param runTogether whether `other` runs on a day that is `dayOffset` days after one of `one`
 * @returns by `other`, then the richest `shown` first
 */
export function findDuplicates(
  schedule: TripSchedule,
  rules: TripMergeRules,
  runTogether: (one: number, other: number, dayOffset: number) => boolean,
): DuplicatePair[] {
  const tripCount = schedule.name.length;
  const nameOf = (one: number, other: number) => Math.min(one, other) * tripCount + Math.max(one, other);
  const separate = new Set(rules.separate.map(([one, other]) => nameOf(one, other)));
  const judged = new Map<number, DuplicatePair | null>();
  const add: AddPair = (one, two, dayOffset, rule) => {
    const name = nameOf(one, two);
    const key = name * DAY_OFFSETS.length + 1 + (one < two ? dayOffset : -dayOffset);
    if (judged.has(key) || separate.has(name) || !runTogether(one, two, dayOffset)) return;
    const pair = isRicher(schedule, one, two)
      ? { shown: one, other: two, dayOffset: 0 - dayOffset }
      : { shown: two, other: one, dayOffset };
    const isComplete = judgePair(schedule, pair, rule);
    judged.set(key, isComplete === null ? null : { ...pair, rule, isComplete });
  };
  for (const [one, other] of rules.merged) for (const dayOffset of DAY_OFFSETS) add(one, other, dayOffset, 'table');
  if (rules.byName) {
    addByNumber(schedule, add);
    addByLine(schedule, add);
  }
  return [...judged.values()]
    .filter((pair) => pair !== null)
    .sort((a, b) => a.other - b.other || (isRicher(schedule, a.shown, b.shown) ? -1 : Number(a.shown !== b.shown)));
}

/** @param dayOffset service date of `other` minus that of `one` in days */
type AddPair = (one: number, other: number, dayOffset: number, rule: TripRule) => void;

/** The trips of a pair, with the times of `other` shifted to the service date of `shown`. */
export function comparePair({ shown, other, dayOffset }: Pick<DuplicatePair, 'shown' | 'other' | 'dayOffset'>) {
  return { shown, other, shiftSeconds: -dayOffset * SECONDS_PER_DAY };
}

/** @returns whether `shown` has all calls of `other`; null if they are two trips */
function judgePair(
  schedule: TripSchedule,
  pair: Pick<DuplicatePair, 'shown' | 'other' | 'dayOffset'>,
  rule: TripRule,
): boolean | null {
  const { shown, other } = pair;
  const positions = alignCalls(schedule, comparePair(pair));
  if (positions === null) return null;
  const isComplete = !positions.includes(-1);
  // Two publishers may name a stop differently; within one feed, another stop means another way.
  const isOfTwo = schedule.source[shown] !== schedule.source[other];
  const hasEnds = positions[0]! >= 0 && positions.at(-1)! >= 0;
  return isComplete || rule !== 'line' || (isOfTwo && hasEnds) ? isComplete : null;
}

/** A strict order: more calls, then more facts, then the first. */
export function isRicher({ firstCall, facts }: TripSchedule, one: number, other: number): boolean {
  const calls = firstCall[one + 1]! - firstCall[one]! - (firstCall[other + 1]! - firstCall[other]!);
  if (calls !== 0) return calls > 0;
  return facts[one] === facts[other] ? one < other : facts[one]! > facts[other]!;
}

/**
 * The calls of two trips at the same stations and times, in the same order.
 * @returns positions in `shown` by position in `other`, -1 for a call that only `other` has; null with fewer than two
 *   common calls, or one at a different time
 */
export function alignCalls(schedule: TripCallTimes, compared: ComparedTrips): Int32Array | null {
  const { shown, other } = compared;
  const { firstCall, station } = schedule;
  const [first, end] = [firstCall[shown]!, firstCall[shown + 1]!];
  const [otherFirst, otherEnd] = [firstCall[other]!, firstCall[other + 1]!];
  const positions = new Int32Array(otherEnd - otherFirst).fill(-1);
  let next = first;
  let common = 0;
  for (let otherCall = otherFirst; otherCall < otherEnd; otherCall++) {
    let call = next;
    while (call < end && (station[call] !== station[otherCall] || !isSameTime(schedule, compared, call, otherCall))) {
      call++;
    }
    if (call === end) continue;
    positions[otherCall - otherFirst] = call - first;
    next = call + 1;
    common += 1;
  }
  return common >= MIN_CALLS && !isAtOtherTime(schedule, shown, other, positions) ? positions : null;
}

/** Whether the trips have a call at the same station, but at different times. */
function isAtOtherTime(
  { firstCall, station }: TripCallTimes,
  shown: number,
  other: number,
  positions: Int32Array,
): boolean {
  if (!positions.includes(-1)) return false;
  const matched = new Set(positions);
  const left = new Set<number>();
  for (let call = firstCall[shown]!; call < firstCall[shown + 1]!; call++) {
    if (!matched.has(call - firstCall[shown]!)) left.add(station[call]!);
  }
  return positions.some((position, i) => position < 0 && left.has(station[firstCall[other]! + i]!));
}

/** At the first call of a trip only the departure counts, at the last one only the arrival. */
function isSameTime(
  { firstCall, arrival, departure }: TripCallTimes,
  { shown, other, shiftSeconds }: ComparedTrips,
  call: number,
  otherCall: number,
): boolean {
  const isFirst = call === firstCall[shown] || otherCall === firstCall[other];
  const isLast = call === firstCall[shown + 1]! - 1 || otherCall === firstCall[other + 1]! - 1;
  const isNear = (a: number, b: number) => Math.abs(a - b - shiftSeconds) <= MAX_DIFFERENCE_SECONDS;
  const hasDeparture = isLast || isNear(departure[call]!, departure[otherCall]!);
  // Publishers with one time for both mean the departure.
  const hasOneTime = !isLast && (arrival[call] === departure[call] || arrival[otherCall] === departure[otherCall]);
  const hasArrival = isFirst || hasOneTime || isNear(arrival[call]!, arrival[otherCall]!);
  return hasDeparture && hasArrival && !(isFirst && isLast);
}

// ---- Candidates --------------------------------------------------------------------------------

/** Adds trains with the same number; they are few, as a number belongs to one train on a day. */
function addByNumber({ name, names, firstCall, departure, arrival, isExcluded }: TripSchedule, add: AddPair): void {
  const byNumber = new Map<string, number[]>();
  for (let trip = 0; trip < name.length; trip++) {
    const number = isExcluded[trip] ? null : trainNumberOf(names[name[trip]!]!);
    if (number === null || firstCall[trip] === firstCall[trip + 1]) continue;
    const list = byNumber.get(number);
    if (list) list.push(trip);
    else byNumber.set(number, [trip]);
  }
  const start = (trip: number) => departure[firstCall[trip]!]!;
  const end = (trip: number) => arrival[firstCall[trip + 1]! - 1]!;
  for (const trips of byNumber.values()) {
    trips.sort((a, b) => start(a) - start(b) || a - b);
    for (const [i, trip] of trips.entries()) {
      for (let k = i + 1; k < trips.length && start(trips[k]!) <= end(trip); k++) add(trip, trips[k]!, 0, 'number');
      for (
        let k = 0;
        k < trips.length && start(trips[k]!) + SECONDS_PER_DAY <= end(trip) + MAX_DIFFERENCE_SECONDS;
        k++
      ) {
        if (k !== i) add(trip, trips[k]!, 1, 'number');
      }
    }
  }
}

/** Adds the trips that begin at one of the calls of another trip of the same line. */
function addByLine(schedule: TripSchedule, add: AddPair): void {
  const { firstCall, station } = schedule;
  const lines = listLines(schedule);
  // By station: the place of its list in the line, plus 1. Millions of calls are looked up here, most of them in vain.
  const startAt = new Int32Array(
    1 + lines.reduce((most, { starts }) => Math.max(most, ...starts.map(({ place }) => place)), -1),
  );
  for (const { trips, starts } of lines) {
    for (const [i, { place }] of starts.entries()) startAt[place] = i + 1;
    for (const trip of trips) {
      // No shorter trip begins at the last call: a trip has at least two calls.
      for (let call = firstCall[trip]!; call < firstCall[trip + 1]! - 1; call++) {
        const start = station[call]! < startAt.length ? startAt[station[call]!]! : 0;
        if (start > 0) addStarting(schedule, starts[start - 1]!, trip, call, add);
      }
    }
    for (const { place } of starts) startAt[place] = 0;
  }
}

/** Adds the trips of a list that begin at about the time of a call. */
function addStarting(schedule: TripSchedule, list: StartList, trip: number, call: number, add: AddPair): void {
  const { name, names, departure } = schedule;
  const { trips, departures } = list;
  for (const dayOffset of DAY_OFFSETS) {
    const time = departure[call]! - dayOffset * SECONDS_PER_DAY;
    const [earliest, latest] = [time - MAX_DIFFERENCE_SECONDS, time + MAX_DIFFERENCE_SECONDS];
    // Rarely does a trip begin on another service date: most lists need no search.
    if (departures[0]! > latest || departures[departures.length - 1]! < earliest) continue;
    for (let i = lowerBound(departures, earliest); i < departures.length && departures[i]! <= latest; i++) {
      const other = trips[i]!;
      const rule = other === trip ? null : compareTripNames(names[name[trip]!]!, names[name[other]!]!);
      if (rule !== null) add(trip, other, dayOffset, rule);
    }
  }
}

/** The trips of a line that begin at one station, by first departure. */
interface StartList {
  readonly place: number;
  readonly trips: readonly number[];
  readonly departures: Int32Array;
}

interface Line {
  readonly trips: readonly number[];
  readonly starts: readonly StartList[];
}

/** The trips of each product class and line. */
function listLines({ name, names, firstCall, station, departure, isExcluded }: TripSchedule): Line[] {
  const numbers = new Map<string, number>();
  const lines = Int32Array.from(names, ({ productClass, line }) => {
    if (line === '') return -1;
    const text = `${productClass} ${line}`;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text)!;
  });
  const tripsByLine = Array.from(numbers, (): number[] => []);
  for (let trip = 0; trip < name.length; trip++) {
    const line = lines[name[trip]!]!;
    if (!isExcluded[trip] && line >= 0 && firstCall[trip] !== firstCall[trip + 1]) tripsByLine[line]!.push(trip);
  }
  const start = (trip: number) => departure[firstCall[trip]!]!;
  return tripsByLine.map((trips) => {
    const byPlace = new Map<number, number[]>();
    for (const trip of trips) {
      const place = station[firstCall[trip]!]!;
      const list = byPlace.get(place);
      if (list) list.push(trip);
      else byPlace.set(place, [trip]);
    }
    const starts = Array.from(byPlace, ([place, starting]): StartList => {
      starting.sort((a, b) => start(a) - start(b) || a - b);
      return { place, trips: starting, departures: Int32Array.from(starting, start) };
    });
    return { trips, starts };
  });
}
