import { isSameTripName, type TripName } from './name-trips.ts';

/** Trips of all feeds with their calls at merged stations. */
export interface TripSchedule {
  /** Row of `names` by trip. */
  readonly name: Int32Array;
  readonly names: readonly TripName[];
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
  /** The richer one, which has all calls of the other. */
  readonly shown: number;
  readonly other: number;
  readonly rule: TripRule;
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
 * planned times at all calls of the one that has fewer. A trip that also serves a station that the other does not is no
 * duplicate of it: hiding either would hide a ride.
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
  const found = new Map<number, DuplicatePair>();
  const add = (shown: number, other: number, rule: TripRule) => {
    const name = nameOf(shown, other);
    if (found.has(name) || separate.has(name) || !isRicher(schedule, shown, other)) return;
    if (runTogether(shown, other) && alignCalls(schedule, shown, other)) found.set(name, { shown, other, rule });
  };
  for (const [one, other] of rules.merged) {
    if (isRicher(schedule, one, other)) add(one, other, 'table');
    else add(other, one, 'table');
  }
  if (rules.byName) {
    const starts = indexStarts(schedule);
    for (let trip = 0; trip < tripCount; trip++) if (!schedule.isExcluded[trip]) addByName(schedule, starts, trip, add);
  }
  return [...found.values()].sort(
    (a, b) => a.other - b.other || (isRicher(schedule, a.shown, b.shown) ? -1 : Number(a.shown !== b.shown)),
  );
}

/** A strict order: more calls, then more facts, then the first. */
export function isRicher({ firstCall, facts }: TripSchedule, one: number, other: number): boolean {
  const calls = firstCall[one + 1]! - firstCall[one]! - (firstCall[other + 1]! - firstCall[other]!);
  if (calls !== 0) return calls > 0;
  return facts[one] === facts[other] ? one < other : facts[one]! > facts[other]!;
}

/**
 * The calls of a trip that has all calls of another one at the same stations and times, in the same order.
 * @returns positions in `shown` by position in `other`; null where a call is missing or at another time
 */
export function alignCalls(schedule: TripCallTimes, shown: number, other: number): Int32Array | null {
  const { firstCall, station } = schedule;
  const [first, end] = [firstCall[shown]!, firstCall[shown + 1]!];
  const [otherFirst, otherEnd] = [firstCall[other]!, firstCall[other + 1]!];
  if (otherEnd - otherFirst < MIN_CALLS) return null;
  const positions = new Int32Array(otherEnd - otherFirst);
  let call = first;
  for (let otherCall = otherFirst; otherCall < otherEnd; otherCall++) {
    while (
      call < end &&
      (station[call] !== station[otherCall] || !isSameTime(schedule, shown, call, other, otherCall))
    ) {
      call++;
    }
    if (call === end) return null;
    positions[otherCall - otherFirst] = call++ - first;
  }
  return positions;
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

/** Trips by name and first station, those of a list by first departure. */
interface Starts {
  /** Numbers of a trip's names by row of `names`: that of its number, or -1, and that of its line. */
  readonly keys: readonly (readonly number[])[];
  readonly trips: ReadonlyMap<number, readonly number[]>;
  readonly stationCount: number;
}

function indexStarts(schedule: TripSchedule): Starts {
  const { name, names, firstCall, station, departure, isExcluded } = schedule;
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text)!;
  };
  const keys = names.map(({ productClass, number, line }) => [
    ...(number === null ? [] : [numberOf(`${productClass} number ${number}`)]),
    ...(line === '' ? [] : [numberOf(`${productClass} line ${line}`)]),
  ]);
  let stationCount = 0;
  for (const row of station) stationCount = Math.max(stationCount, row + 1);
  const trips = new Map<number, number[]>();
  for (let trip = 0; trip < name.length; trip++) {
    if (isExcluded[trip] || firstCall[trip] === firstCall[trip + 1]) continue;
    for (const key of keys[name[trip]!]!) {
      const place = key * stationCount + station[firstCall[trip]!]!;
      const list = trips.get(place);
      if (list) list.push(trip);
      else trips.set(place, [trip]);
    }
  }
  const start = (trip: number) => departure[firstCall[trip]!]!;
  for (const list of trips.values()) list.sort((a, b) => start(a) - start(b) || a - b);
  return { keys, trips, stationCount };
}

/** Adds the trips that begin at one of the calls of a trip and are known by the same name. */
function addByName(
  schedule: TripSchedule,
  { keys, trips, stationCount }: Starts,
  trip: number,
  add: (shown: number, other: number, rule: TripRule) => void,
): void {
  const { name, names, firstCall, station, departure } = schedule;
  const tripName = names[name[trip]!]!;
  for (const key of keys[name[trip]!]!) {
    // The last call is no beginning of a shorter trip: it has two calls at least.
    for (let call = firstCall[trip]!; call < firstCall[trip + 1]! - 1; call++) {
      const list = trips.get(key * stationCount + station[call]!);
      if (list === undefined) continue;
      const start = (i: number) => departure[firstCall[list[i]!]!]!;
      const earliest = departure[call]! - MAX_DIFFERENCE_SECONDS;
      const latest = departure[call]! + MAX_DIFFERENCE_SECONDS;
      for (let i = findFirst(list.length, (k) => start(k) >= earliest); i < list.length && start(i) <= latest; i++) {
        const otherName = names[name[list[i]!]!]!;
        if (list[i] === trip || !isSameTripName(tripName, otherName)) continue;
        add(trip, list[i]!, tripName.number !== null && otherName.number !== null ? 'number' : 'line');
      }
    }
  }
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
