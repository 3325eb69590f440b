import type { TimetableTables } from '../../../pipeline/snapshots/timetable-contract.ts';
import { IntList, NEVER } from './int-list.ts';
import type { LiveRoutes } from './live-routes.ts';
import type { MinTimes } from './min-times.ts';
import type { Gate } from './places.ts';
import type { SearchDirection } from './search-direction.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

/**
 * Lower bounds on the rides and seconds from any place to the end of a search. Labels that cannot improve the result
 * even at these minimum times are dropped: a stronger form of RAPTOR's target pruning.
 */
export interface LowerBounds {
  /** No bound here exceeds it: a longer time counts as this one. `NEVER`: there is no limit. */
  readonly maxSeconds: number;
  /** By transfer place, after alighting there. */
  readonly leftRides: Uint8Array;
  readonly leftSeconds: Int32Array;
  /** By transfer place, before boarding there; the boarded ride counts. */
  readonly readyRides: Uint8Array;
  readonly readySeconds: Int32Array;
  /** By call of the timetable's patterns, when boarding there; that ride counts. */
  readonly callRides: Uint8Array;
  readonly callSeconds: Int32Array;
}

/** Input for computing the bounds. */
export interface BoundsTask {
  readonly tables: TimetableTables;
  readonly direction: SearchDirection;
  /** The opposite direction: bounds are computed from the end. */
  readonly opposite: SearchDirection;
  readonly least: MinTimes;
  readonly live: LiveRoutes | null;
  readonly transferSeconds: Int32Array;
  /** By transfer place: seconds on foot to the end, -1 if it is too far. */
  readonly egress: Int32Array;
  readonly maxRounds: number;
  /** The places where the search begins, with the seconds until then; `null` for bounds of any place. */
  readonly begins: readonly Pick<Gate, 'place' | 'seconds'>[] | null;
  /** Longer times need not be known; `NEVER`: all are needed. */
  readonly maxSeconds: number;
}

const MANY = 0xff;

type Writable<Members> = { -readonly [Member in keyof Members]: Members[Member] };

/** Memory for computing bounds, reused for each query, and the bounds that are being computed. */
interface BoundsFinder extends Writable<LowerBounds> {
  readonly tables: TimetableTables;
  /**
   * By pattern: seconds from its last call for passengers who stay on board when one of its trips continues as another.
   */
  readonly aboard: Int32Array;
  /** Patterns to scan in this round, each once. */
  readonly queue: IntList;
  /** By pattern: how far from its end, in the direction of search, the scan begins, in calls; -1 if not queued. */
  readonly skipped: Int32Array;
  /** Places with an improved bound, each once: in this step and in the previous one. */
  marked: IntList;
  better: IntList;
  readonly isMarked: Uint8Array;
  /** The number of rides with which the search can begin; `MANY` until it is known. */
  minRides: number;
  /** By direction: for each pattern, the patterns with a trip that continues as one of it. */
  readonly predecessors: Map<SearchDirection, ReadonlyMap<number, readonly number[]>>;
}

/** Allocates memory for bounds. @param placeCount number of transfer places */
export function createBounds({ patternCalls }: TimetableTables, placeCount: number): LowerBounds {
  const callCount = patternCalls.stop.length;
  return {
    maxSeconds: NEVER,
    leftRides: new Uint8Array(placeCount),
    leftSeconds: new Int32Array(placeCount),
    readyRides: new Uint8Array(placeCount),
    readySeconds: new Int32Array(placeCount),
    callRides: new Uint8Array(callCount),
    callSeconds: new Int32Array(callCount),
  };
}

/** @param placeCount number of transfer places */
export function createBoundsFinder(tables: TimetableTables, placeCount: number): BoundsFinder {
  const patternCount = tables.patterns.route.length;
  return {
    ...createBounds(tables, 0),
    tables,
    aboard: new Int32Array(patternCount),
    queue: new IntList(),
    skipped: new Int32Array(patternCount).fill(-1),
    marked: new IntList(),
    better: new IntList(),
    isMarked: new Uint8Array(placeCount),
    minRides: MANY,
    predecessors: new Map(),
  };
}

/**
 * Computes bounds in rounds from the end of the search: RAPTOR without departure times, in which every ride takes its
 * minimum time and nobody waits. As soon as a place where the search begins is reached, places much further from the end
 * are left out: most of a country is too far away to matter for one search.
 * @param bounds memory to write, of any former bounds
 */
export function findBounds(finder: BoundsFinder, bounds: Writable<LowerBounds>, task: BoundsTask): LowerBounds {
  Object.assign(finder, bounds);
  resetBounds(finder);
  finder.maxSeconds = task.maxSeconds;
  markEgress(finder, task.egress);
  for (let round = 1; round <= task.maxRounds && finder.marked.length > 0; round++) {
    // Without a limit of seconds, rounds find the least number of rides; with one, fewer rides may take longer.
    const rides = Math.min(round, finder.minRides + 1);
    queuePatterns(finder, task.direction);
    finder.marked.clear();
    for (let i = 0; i < finder.queue.length; i++) scanPattern(finder, task, finder.queue.items[i]!, rides);
    finder.queue.clear();
    if (task.live) scanExtraPatterns(finder, task.direction, task.live, rides);
    [finder.better, finder.marked] = [finder.marked, finder.better];
    finder.marked.clear();
    unmark(finder, finder.better);
    relaxTransfersBackward(finder, task, rides);
    unmark(finder, finder.marked);
    limitSeconds(finder, task.begins, round);
  }
  cutOff(finder);
  bounds.maxSeconds = finder.maxSeconds;
  return bounds;
}

function limitSeconds(finder: BoundsFinder, begins: BoundsTask['begins'], round: number): void {
  if (begins === null) return;
  const needed = measureNeededSeconds(finder, begins);
  if (needed >= NEVER) return;
  finder.maxSeconds = needed;
  if (finder.minRides === MANY) finder.minRides = round;
}

/**
 * Returns up to how many seconds a search needs bounds. From places that are further away it does not reach the end in
 * the time that it takes from its begin, unless it waits long; then it looks at a few more labels.
 */
export function measureNeededSeconds(
  { readySeconds }: Pick<LowerBounds, 'readySeconds'>,
  begins: NonNullable<BoundsTask['begins']>,
): number {
  const least = begins.reduce((best, { place, seconds }) => Math.min(best, seconds + readySeconds[place]!), NEVER);
  return Math.min(NEVER, Math.ceil(NEEDED_SHARE * least) + NEEDED_SPARE_SECONDS);
}

/** With these, searches scan 1 to 2 % more routes than with all bounds. */
const NEEDED_SHARE = 1.25;
const NEEDED_SPARE_SECONDS = 600;

/** Applies the limit to bounds that were found before it was known, and to places that no round has reached. */
function cutOff(finder: BoundsFinder): void {
  const { maxSeconds, minRides } = finder;
  if (maxSeconds >= NEVER) return;
  // From where no search begins, places beyond the limit are of no use.
  for (const rides of minRides === MANY ? [] : [finder.leftRides, finder.readyRides, finder.callRides]) {
    for (let i = 0; i < rides.length; i++) if (rides[i] === MANY) rides[i] = minRides + 1;
  }
  for (const seconds of [finder.leftSeconds, finder.readySeconds, finder.callSeconds]) {
    for (let i = 0; i < seconds.length; i++) if (seconds[i]! > maxSeconds) seconds[i] = maxSeconds;
  }
}

function resetBounds(finder: BoundsFinder): void {
  finder.maxSeconds = NEVER;
  finder.minRides = MANY;
  for (const rides of [finder.leftRides, finder.readyRides, finder.callRides]) rides.fill(MANY);
  for (const seconds of [finder.leftSeconds, finder.readySeconds, finder.callSeconds]) seconds.fill(NEVER);
  if (hasContinuations(finder)) finder.aboard.fill(NEVER);
  finder.queue.clear();
  finder.marked.clear();
}

function hasContinuations({ tables }: BoundsFinder): boolean {
  return tables.continuations.fromTrip.length > 0;
}

function markEgress({ leftRides, leftSeconds, marked }: BoundsFinder, egress: Int32Array): void {
  for (let place = 0; place < egress.length; place++) {
    if (egress[place]! < 0) continue;
    leftRides[place] = 0;
    leftSeconds[place] = egress[place]!;
    marked.push(place);
  }
}

/** Queues each pattern from the last marked call on, in the direction of search: those beyond it are as before. */
function queuePatterns(finder: BoundsFinder, { leaving, sign }: SearchDirection): void {
  const { tables, marked } = finder;
  const { patterns } = tables;
  const { starts, calls, patterns: ofPattern } = leaving;
  for (let at = 0; at < marked.length; at++) {
    const place = marked.items[at]!;
    for (let i = starts[place]!; i < starts[place + 1]!; i++) {
      const pattern = ofPattern[i]!;
      const position = calls[i]! - patterns.firstCall[pattern]!;
      queuePattern(finder, pattern, sign > 0 ? patterns.callCount[pattern]! - 1 - position : position);
    }
  }
}

/** @param skip number of calls beyond the one to begin with */
function queuePattern({ queue, skipped }: BoundsFinder, pattern: number, skip: number): void {
  if (skipped[pattern]! < 0) queue.push(pattern);
  if (skipped[pattern]! < 0 || skip < skipped[pattern]!) skipped[pattern] = skip;
}

/** Sets the remaining seconds when boarding at a place; the caller has checked that it is an improvement. */
function setReady(finder: BoundsFinder, place: number, ahead: number, rides: number): void {
  const { readySeconds, readyRides } = finder;
  readySeconds[place] = ahead;
  if (readyRides[place] === MANY) readyRides[place] = rides;
  mark(finder, place);
}

function mark({ isMarked, marked }: BoundsFinder, place: number): void {
  if (isMarked[place] === 1) return;
  isMarked[place] = 1;
  marked.push(place);
}

function unmark({ isMarked }: BoundsFinder, { items, length }: IntList): void {
  for (let at = 0; at < length; at++) isMarked[items[at]!] = 0;
}

/** Scans a pattern from its end, opposite to the direction of search. */
function scanPattern(finder: BoundsFinder, { direction, least }: BoundsTask, pattern: number, rides: number): void {
  const { tables, skipped, aboard, leftSeconds, readySeconds, callRides, callSeconds, maxSeconds } = finder;
  const { sign, enterAt, leaveAt } = direction;
  const continues = hasContinuations(finder);
  const first = tables.patterns.firstCall[pattern]!;
  const callCount = tables.patterns.callCount[pattern]!;
  const skip = skipped[pattern]!;
  skipped[pattern] = -1;
  let ahead = continues && skip === 0 ? aboard[pattern]! : NEVER;
  let position = sign > 0 ? callCount - 1 - skip : skip;
  for (let step = skip; step < callCount; step++, position -= sign) {
    const call = first + position;
    // `ride` holds the seconds to the next call at the earlier of the two calls.
    if (step > skip) ahead += least.ride[sign > 0 ? call : call - 1]!;
    const enters = ahead < maxSeconds ? enterAt[call]! : -1;
    if (enters >= 0 && ahead < callSeconds[call]!) {
      callSeconds[call] = ahead;
      if (callRides[call] === MANY) callRides[call] = rides;
    }
    if (enters >= 0 && ahead < readySeconds[enters]!) setReady(finder, enters, ahead, rides);
    ahead += least.dwell[call]!;
    const leaves = leaveAt[call]!;
    if (leaves >= 0 && leftSeconds[leaves]! < ahead) ahead = leftSeconds[leaves]!;
    if (ahead > NEVER) ahead = NEVER;
  }
  if (continues && ahead < maxSeconds) queuePredecessors(finder, direction, pattern, ahead);
}

/** Queues the patterns with a trip that continues as one of this pattern, with the remaining seconds from its start. */
function queuePredecessors(finder: BoundsFinder, direction: SearchDirection, pattern: number, ahead: number): void {
  const { tables, predecessors, aboard } = finder;
  const known = predecessors.get(direction) ?? listPredecessors(tables, direction);
  predecessors.set(direction, known);
  for (const before of known.get(pattern) ?? []) {
    if (ahead >= aboard[before]!) continue;
    aboard[before] = ahead;
    queuePattern(finder, before, 0);
  }
}

/**
 * Added trips are few, so each round scans all of them. Other trips with extra patterns only skip some calls, so the
 * bounds of their scheduled pattern are valid for them.
 */
function scanExtraPatterns(finder: BoundsFinder, direction: SearchDirection, live: LiveRoutes, rides: number): void {
  const patternCount = finder.tables.patterns.route.length;
  live.extraPattern.forEach((pattern, extra) => {
    if (pattern < patternCount) return;
    const { trip } = live.liveTrips[liveTripOfExtraRoute(live, extra)]!;
    if (trip < 0) scanAddedTrip(finder, direction, live, extra, live.patternFirstCall[pattern - patternCount]!, rides);
  });
}

function liveTripOfExtraRoute(live: LiveRoutes, extra: number): number {
  return ~live.trips[live.first[live.extraList[extra]!]!]!;
}

/** Scans the single trip of an extra route from its end. @param first its first call in the arrays of `live` */
function scanAddedTrip(
  finder: BoundsFinder,
  { sign }: SearchDirection,
  live: LiveRoutes,
  extra: number,
  first: number,
  rides: number,
): void {
  const { leftSeconds, readySeconds, maxSeconds } = finder;
  const [enterAt, leaveAt] = sign > 0 ? [live.boardAt, live.alightAt] : [live.alightAt, live.boardAt];
  const { arrival, departure } = live.liveTrips[liveTripOfExtraRoute(live, extra)]!;
  const count = arrival.length;
  let ahead: number = NEVER;
  let position = sign > 0 ? count - 1 : 0;
  for (let step = 0; step < count; step++, position -= sign) {
    if (step > 0) {
      const call = sign > 0 ? position : position - 1;
      ahead += arrival[call + 1]! - departure[call]!;
    }
    const enters = ahead < maxSeconds ? enterAt[first + position]! : -1;
    if (enters >= 0 && ahead < readySeconds[enters]!) setReady(finder, enters, ahead, rides);
    ahead += departure[position]! - arrival[position]!;
    const leaves = leaveAt[first + position]!;
    if (leaves >= 0 && leftSeconds[leaves]! < ahead) ahead = leftSeconds[leaves]!;
  }
}

/** Relaxes transfers backwards, from the place of boarding to that of alighting. */
function relaxTransfersBackward(finder: BoundsFinder, { opposite, transferSeconds }: BoundsTask, rides: number): void {
  const { better, readySeconds, leftRides, leftSeconds, maxSeconds } = finder;
  const { transferStarts } = opposite;
  const transfers = opposite.listTransfers(transferSeconds);
  for (let at = 0; at < better.length; at++) {
    const place = better.items[at]!;
    const ahead = readySeconds[place]!;
    for (let i = transferStarts[place]!; i < transferStarts[place + 1]!; i++) {
      const from = transfers[2 * i]!;
      const seconds = transfers[2 * i + 1]!;
      if (seconds === NO_TRANSFER) continue;
      const time = ahead + seconds;
      if (time >= leftSeconds[from]! || time >= maxSeconds) continue;
      leftSeconds[from] = time;
      if (leftRides[from] === MANY) leftRides[from] = rides;
      mark(finder, from);
    }
  }
}

/**
 * Returns, for each pattern that has any, the patterns with a trip that continues as one of it in the direction of
 * search.
 */
function listPredecessors(
  { trips }: TimetableTables,
  { continuesFrom, continuesTo }: SearchDirection,
): Map<number, readonly number[]> {
  const sets = new Map<number, Set<number>>();
  for (let row = 0; row < continuesFrom.length; row++) {
    const [before, after] = [trips.pattern[continuesFrom[row]!]!, trips.pattern[continuesTo[row]!]!];
    const set = sets.get(after) ?? new Set();
    sets.set(after, set.add(before));
  }
  return new Map(Array.from(sets, ([after, set]) => [after, [...set]]));
}
