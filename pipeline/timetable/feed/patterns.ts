import { ExternalError } from '../../effects/external-error.ts';

/** The calls of all trips, by trip, then by sequence. */
export interface TripCalls {
  readonly tripRoute: Int32Array;
  /** One more than there are trips: the calls of trip t are `tripFirstCall[t] .. tripFirstCall[t + 1]`. */
  readonly tripFirstCall: Int32Array;
  readonly stop: Int32Array;
  readonly pickupType: Uint8Array;
  readonly dropOffType: Uint8Array;
  readonly headsign: Int32Array;
  /** Platform beyond that of the stop, or -1. */
  readonly platform: Int32Array;
  /** Number of its pair of booking rules, or -1. */
  readonly booking: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** Trips with frequencies expanded: each trip once or, if repeated by frequencies, once per departure. */
export interface Runs {
  readonly trip: Int32Array;
  /** Added to every time of the trip. */
  readonly shiftSeconds: Int32Array;
  /** First departure of a repeated trip, else -1. */
  readonly frequencyStart: Int32Array;
  readonly isHeadway: Uint8Array;
}

export interface Frequency {
  readonly trip: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly headwaySeconds: number;
  readonly isExact: boolean;
}

/** Patterns of runs: same route, stops, boarding rules and mark, and no run overtakes another. */
export interface Patterns {
  /** Runs in the order of patterns; within one by time. */
  readonly runOrder: Int32Array;
  /** One more than there are patterns: those of pattern p are `runOrder[firstRun[p] .. firstRun[p + 1]]`. */
  readonly firstRun: Int32Array;
}

/**
 * Expands the trips of a timetable into runs. A trip of frequencies.txt runs only at the times of its frequencies,
 * never at its own; a departure in several frequencies is one run, by the first of them.
 * @param maxRuns guards against a headway of one second all day long on every trip
 * @throws ExternalError `timetable_too_large` beyond `maxRuns`
 */
export function buildRuns(
  calls: Pick<TripCalls, 'tripFirstCall' | 'departure'>,
  frequencies: readonly Frequency[],
  maxRuns: number,
): Runs {
  const byTrip = new Map<number, Frequency[]>();
  for (const frequency of frequencies) {
    const sameTrip = byTrip.get(frequency.trip);
    if (sameTrip) sameTrip.push(frequency);
    else byTrip.set(frequency.trip, [frequency]);
  }
  const tripCount = calls.tripFirstCall.length - 1;
  let mostRuns = tripCount - byTrip.size;
  for (const { startSeconds, endSeconds, headwaySeconds } of frequencies) {
    mostRuns += Math.ceil((endSeconds - startSeconds) / headwaySeconds);
  }
  if (mostRuns > maxRuns)
    throw new ExternalError(
      'timetable_too_large',
      `the feeds' frequencies make ${mostRuns} runs, more than ${maxRuns}`,
    );
  const runs: Runs = {
    trip: new Int32Array(mostRuns),
    shiftSeconds: new Int32Array(mostRuns),
    frequencyStart: new Int32Array(mostRuns).fill(-1),
    isHeadway: new Uint8Array(mostRuns),
  };
  let runCount = 0;
  for (let trip = 0; trip < tripCount; trip++) {
    const repeats = byTrip.get(trip);
    if (repeats) runCount = addRepeats(runs, runCount, calls, repeats);
    else runs.trip[runCount++] = trip;
  }
  return {
    trip: runs.trip.subarray(0, runCount),
    shiftSeconds: runs.shiftSeconds.subarray(0, runCount),
    frequencyStart: runs.frequencyStart.subarray(0, runCount),
    isHeadway: runs.isHeadway.subarray(0, runCount),
  };
}

function addRepeats(
  runs: Runs,
  firstRun: number,
  calls: Parameters<typeof buildRuns>[0],
  repeats: readonly Frequency[],
): number {
  const ownStart = calls.departure[calls.tripFirstCall[repeats[0]!.trip]!]!;
  const starts = new Set<number>();
  let run = firstRun;
  for (const { trip, startSeconds, endSeconds, headwaySeconds, isExact } of repeats) {
    for (let start = startSeconds; start < endSeconds; start += headwaySeconds) {
      if (starts.has(start)) continue;
      starts.add(start);
      runs.trip[run] = trip;
      runs.shiftSeconds[run] = start - ownStart;
      runs.frequencyStart[run] = start;
      runs.isHeadway[run] = isExact ? 0 : 1;
      run++;
    }
  }
  return run;
}

/**
 * Groups runs into patterns, and splits a group where one run overtakes another, so that the runs of a pattern can be
 * binary-searched at every call. The result depends only on the numbering of trips.
 * @param tripMarks by trip: those with different marks share no pattern
 */
export function buildPatterns(calls: TripCalls, runs: Runs, tripMarks: Int32Array): Patterns {
  const groupOfTrip = groupTrips(calls, tripMarks);
  const groups: number[][] = [];
  for (let run = 0; run < runs.trip.length; run++) {
    const group = groupOfTrip[runs.trip[run]!]!;
    const sameGroup = groups[group];
    if (sameGroup) sameGroup.push(run);
    else groups[group] = [run];
  }
  const runOrder = new Int32Array(runs.trip.length);
  const firstRun: number[] = [];
  let next = 0;
  const route = (group: number[]) => calls.tripRoute[runs.trip[group[0]!]!]!;
  // Patterns of a route are adjacent; the sort is stable, so equal routes keep the order of their first trips.
  for (const group of groups.filter((runsOfGroup) => runsOfGroup).sort((a, b) => route(a) - route(b))) {
    for (const pattern of splitOvertaking(calls, runs, group)) {
      firstRun.push(next);
      for (const run of pattern) runOrder[next++] = run;
    }
  }
  firstRun.push(next);
  return { runOrder, firstRun: Int32Array.from(firstRun) };
}

/** Groups trips of equal marks, route, stops, boarding and booking rules, headsigns and platforms, by their first trips. */
function groupTrips(calls: TripCalls, marks: Int32Array): Int32Array {
  const tripCount = calls.tripFirstCall.length - 1;
  const group = new Int32Array(tripCount);
  const firstTrips: number[] = [];
  const byHash = new Map<number, number[]>();
  for (let trip = 0; trip < tripCount; trip++) {
    const hash = hashCalls(calls, trip) ^ Math.imul(marks[trip]!, 0x01000193);
    const candidates = byHash.get(hash) ?? [];
    let found = candidates.find((candidate) => {
      const first = firstTrips[candidate]!;
      return marks[first] === marks[trip] && hasSameCalls(calls, first, trip);
    });
    if (found === undefined) {
      found = firstTrips.push(trip) - 1;
      candidates.push(found);
      byHash.set(hash, candidates);
    }
    group[trip] = found;
  }
  return group;
}

/** FNV-1a over the key of a pattern; equal patterns have equal hashes, and `hasSameCalls` resolves collisions. */
function hashCalls(calls: TripCalls, trip: number): number {
  let hash = 0x811c9dc5 ^ calls.tripRoute[trip]!;
  const end = calls.tripFirstCall[trip + 1]!;
  for (let call = calls.tripFirstCall[trip]!; call < end; call++) {
    hash = Math.imul(hash ^ calls.stop[call]!, 0x01000193);
    const booking = Math.imul(calls.booking[call]! + 1, 0x85ebca6b);
    const rules = (calls.pickupType[call]! << 2) | calls.dropOffType[call]! | ((calls.headsign[call]! + 1) << 4);
    hash = Math.imul(hash ^ rules ^ booking ^ Math.imul(calls.platform[call]! + 1, 0x9e3779b1), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}

function hasSameCalls(calls: TripCalls, a: number, b: number): boolean {
  const [firstA, firstB] = [calls.tripFirstCall[a]!, calls.tripFirstCall[b]!];
  const count = calls.tripFirstCall[a + 1]! - firstA;
  if (count !== calls.tripFirstCall[b + 1]! - firstB || calls.tripRoute[a] !== calls.tripRoute[b]) return false;
  for (let i = 0; i < count; i++) {
    if (calls.stop[firstA + i] !== calls.stop[firstB + i]) return false;
    if (calls.pickupType[firstA + i] !== calls.pickupType[firstB + i]) return false;
    if (calls.dropOffType[firstA + i] !== calls.dropOffType[firstB + i]) return false;
    if (calls.headsign[firstA + i] !== calls.headsign[firstB + i]) return false;
    if (calls.platform[firstA + i] !== calls.platform[firstB + i]) return false;
    if (calls.booking[firstA + i] !== calls.booking[firstB + i]) return false;
  }
  return true;
}

/** Sorts the runs of a group by time and splits them into the fewest lists without overtaking at any call. */
function splitOvertaking(calls: TripCalls, runs: Runs, group: number[]): number[][] {
  const start = (run: number) => calls.departure[calls.tripFirstCall[runs.trip[run]!]!]! + runs.shiftSeconds[run]!;
  const end = (run: number) => calls.arrival[calls.tripFirstCall[runs.trip[run]! + 1]! - 1]! + runs.shiftSeconds[run]!;
  const sorted = [...group].sort((a, b) => start(a) - start(b) || end(a) - end(b) || a - b);
  const patterns: number[][] = [];
  for (const run of sorted) {
    const pattern = patterns.find((earlier) => isNeverOvertaken(calls, runs, earlier.at(-1)!, run));
    if (pattern) pattern.push(run);
    else patterns.push([run]);
  }
  return patterns;
}

function isNeverOvertaken(calls: TripCalls, runs: Runs, earlier: number, later: number): boolean {
  const firstEarlier = calls.tripFirstCall[runs.trip[earlier]!]!;
  const firstLater = calls.tripFirstCall[runs.trip[later]!]!;
  const count = calls.tripFirstCall[runs.trip[earlier]! + 1]! - firstEarlier;
  const lead = runs.shiftSeconds[later]! - runs.shiftSeconds[earlier]!;
  for (let i = 0; i < count; i++) {
    if (calls.arrival[firstLater + i]! + lead < calls.arrival[firstEarlier + i]!) return false;
    if (calls.departure[firstLater + i]! + lead < calls.departure[firstEarlier + i]!) return false;
  }
  return true;
}
