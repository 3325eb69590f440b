import { compareTripNames, type TripName, trainNumberOf } from './name-trips.ts';

/** Trips of all feeds with their calls at merged stations. */
export interface TripSchedule {
  /** Row of `names` by trip. */
  readonly name: Int32Array;
  readonly names: readonly TripName[];
  /** By trip: row of its source. */
  readonly source: Uint16Array;
  /** One more than there are trips: the calls of trip t are rows `firstCall[t] .. firstCall[t + 1]`. */
  readonly firstCall: Int32Array;
  /** By call; seconds, of all trips from the same instant. */
  readonly station: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  /** By trip: 1 for a trip that has no times of its own, such as that of a frequency. */
  readonly isExcluded: Uint8Array;
  /** By trip: how much its publisher says about it; of two trips with equal calls the greater one is shown. */
  readonly facts: Uint8Array;
}

/** What the calls of two trips are compared by. */
export type TripCallTimes = Pick<TripSchedule, 'firstCall' | 'station' | 'arrival' | 'departure'>;

/** Reasons for which two trips are one. */
export const tripRules = ['table', 'number', 'line'] as const;
export type TripRule = (typeof tripRules)[number];

/** Two trips that are one on the days on which both run. */
export interface DuplicatePair {
  /** The richer one. */
  readonly shown: number;
  readonly other: number;
  readonly rule: TripRule;
  /** Whether `shown` has all calls of `other`. */
  readonly isComplete: boolean;
}

export interface TripMergeRules {
  readonly byName: boolean;
  /** Pairs of trips; those that the operator merges need no common number or line, but equal times. */
  readonly merged: readonly (readonly [number, number])[];
  readonly separate: readonly (readonly [number, number])[];
}

/** Publishers' plans of the same trip may differ by this much. */
const MAX_DIFFERENCE_SECONDS = 60;
const MIN_CALLS = 2;

/**
 * Finds the trips that are published twice: of the same product class, with the same number or line, and with equal
 * planned times at all calls that both have, at least two. A trip of a line that begins or ends where the other one
 * does not call, or of one publisher that takes another way, is another vehicle; one of a train number is not.
 * @param runTogether whether two trips run on a common day
 * @returns by `other`, then by the richness of `shown`
 */
export function findDuplicates(
  schedule: TripSchedule,
  rules: TripMergeRules,
  runTogether: (one: number, other: number) => boolean,
): DuplicatePair[] {
  const tripCount = schedule.name.length;
  const nameOf = (one: number, other: number) => Math.min(one, other) * tripCount + Math.max(one, other);
  const separate = new Set(rules.separate.map(([one, other]) => nameOf(one, other)));
  const judged = new Map<number, DuplicatePair | null>();
  const add: AddPair = (one, two, rule) => {
    const name = nameOf(one, two);
    if (judged.has(name) || separate.has(name) || !runTogether(one, two)) return;
    const [shown, other] = isRicher(schedule, one, two) ? [one, two] : [two, one];
    const isComplete = judgePair(schedule, shown, other, rule);
    judged.set(name, isComplete === null ? null : { shown, other, rule, isComplete });
  };
  for (const [one, other] of rules.merged) add(one, other, 'table');
  if (rules.byName) {
    addByNumber(schedule, add);
    addByLine(schedule, add);
  }
  return [...judged.values()]
    .filter((pair) => pair !== null)
    .sort((a, b) => a.other - b.other || (isRicher(schedule, a.shown, b.shown) ? -1 : Number(a.shown !== b.shown)));
}

type AddPair = (one: number, other: number, rule: TripRule) => void;

/** @returns whether `shown` has all calls of `other`; null where they are two trips */
function judgePair(schedule: TripSchedule, shown: number, other: number, rule: TripRule): boolean | null {
  const positions = alignCalls(schedule, shown, other);
  if (positions === null) return null;
  const isComplete = !positions.includes(-1);
  // Two publishers may know a stop by different names; one that names another stop means another way.
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
 * @returns positions in `shown` by position in `other`, -1 for a call that only `other` has; null where they have fewer
 *   than two calls in common, or one at another time
 */
export function alignCalls(schedule: TripCallTimes, shown: number, other: number): Int32Array | null {
  const { firstCall, station } = schedule;
  const [first, end] = [firstCall[shown]!, firstCall[shown + 1]!];
  const [otherFirst, otherEnd] = [firstCall[other]!, firstCall[other + 1]!];
  const positions = new Int32Array(otherEnd - otherFirst).fill(-1);
  let next = first;
  let common = 0;
  for (let otherCall = otherFirst; otherCall < otherEnd; otherCall++) {
    let call = next;
    while (
      call < end &&
      (station[call] !== station[otherCall] || !isSameTime(schedule, shown, call, other, otherCall))
    ) {
      call++;
    }
    if (call === end) continue;
    positions[otherCall - otherFirst] = call - first;
    next = call + 1;
    common += 1;
  }
  return common >= MIN_CALLS && !isAtOtherTime(schedule, shown, other, positions) ? positions : null;
}

/** Whether a call that both trips have is at another time in each. */
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
  shown: number,
  call: number,
  other: number,
  otherCall: number,
): boolean {
  const isFirst = call === firstCall[shown] || otherCall === firstCall[other];
  const isLast = call === firstCall[shown + 1]! - 1 || otherCall === firstCall[other + 1]! - 1;
  const isNear = (a: number, b: number) => Math.abs(a - b) <= MAX_DIFFERENCE_SECONDS;
  const hasDeparture = isLast || isNear(departure[call]!, departure[otherCall]!);
  // Publishers that give one time for both mean the departure.
  const hasOneTime = !isLast && (arrival[call] === departure[call] || arrival[otherCall] === departure[otherCall]);
  const hasArrival = isFirst || hasOneTime || isNear(arrival[call]!, arrival[otherCall]!);
  return hasDeparture && hasArrival && !(isFirst && isLast);
}

// ---- Candidates --------------------------------------------------------------------------------

/** Trains of one number: few, as a number is that of one train on a day. */
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
      for (let k = i + 1; k < trips.length && start(trips[k]!) <= end(trip); k++) add(trip, trips[k]!, 'number');
    }
  }
}

/** Adds the trips that begin at one of the calls of another trip of the same line. */
function addByLine(schedule: TripSchedule, add: AddPair): void {
  const { name, names, firstCall, station, departure, isExcluded } = schedule;
  const { lines, starts, stationCount } = indexStarts(schedule);
  for (let trip = 0; trip < name.length; trip++) {
    const line = lines[name[trip]!]!;
    if (isExcluded[trip] || line < 0) continue;
    // The last call is no beginning of a shorter trip: it has two calls at least.
    for (let call = firstCall[trip]!; call < firstCall[trip + 1]! - 1; call++) {
      const list = starts.get(line * stationCount + station[call]!);
      if (list === undefined) continue;
      const start = (i: number) => departure[firstCall[list[i]!]!]!;
      const earliest = departure[call]! - MAX_DIFFERENCE_SECONDS;
      const latest = departure[call]! + MAX_DIFFERENCE_SECONDS;
      for (let i = findFirst(list.length, (k) => start(k) >= earliest); i < list.length && start(i) <= latest; i++) {
        const rule = list[i] === trip ? null : compareTripNames(names[name[trip]!]!, names[name[list[i]!]!]!);
        if (rule !== null) add(trip, list[i]!, rule);
      }
    }
  }
}

/** Trips by line and first station; those of a list by first departure. */
interface Starts {
  /** Number of the line by row of `names`; -1 without one. */
  readonly lines: Int32Array;
  /** By `line * stationCount + station`. */
  readonly starts: ReadonlyMap<number, readonly number[]>;
  readonly stationCount: number;
}

function indexStarts({ name, names, firstCall, station, departure, isExcluded }: TripSchedule): Starts {
  const numbers = new Map<string, number>();
  const lines = Int32Array.from(names, ({ productClass, line }) => {
    if (line === '') return -1;
    const text = `${productClass} ${line}`;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text)!;
  });
  const stationCount = station.reduce((most, row) => Math.max(most, row), -1) + 1;
  const starts = new Map<number, number[]>();
  for (let trip = 0; trip < name.length; trip++) {
    const line = lines[name[trip]!]!;
    if (isExcluded[trip] || line < 0 || firstCall[trip] === firstCall[trip + 1]) continue;
    const place = line * stationCount + station[firstCall[trip]!]!;
    const list = starts.get(place);
    if (list) list.push(trip);
    else starts.set(place, [trip]);
  }
  const start = (trip: number) => departure[firstCall[trip]!]!;
  for (const list of starts.values()) list.sort((a, b) => start(a) - start(b) || a - b);
  return { lines, starts, stationCount };
}

/** The smallest of `0 .. count` from which a monotonic condition holds. */
function findFirst(count: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
