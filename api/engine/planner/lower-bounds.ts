import type { TimetableTables } from '../../../pipeline/snapshots/contract.ts';
import type { LeastTimes } from './call-times.ts';
import { NO_CHANGE } from './change-seconds.ts';
import { IntList } from './int-list.ts';
import { NEVER } from './labels.ts';
import type { LiveLanes } from './live-lanes.ts';
import type { Side } from './side.ts';

/**
 * What is still ahead at least, from any place to the end of a search: rides and seconds. A label that cannot become
 * better than what is known, even if everything from here on went as fast as it ever does, is not looked at again.
 */
export interface LowerBounds {
  /** By change place, from having left a trip there. */
  readonly leftRides: Uint8Array;
  readonly leftSeconds: Int32Array;
  /** By change place, from being ready to board there: the ride that is boarded counts. */
  readonly readyRides: Uint8Array;
  readonly readySeconds: Int32Array;
  /** By call of the timetable's patterns, from boarding there; that ride counts. */
  readonly callRides: Uint8Array;
  readonly callSeconds: Int32Array;
}

/** The least times where trips also run as they really do: some make up for lost time. */
export function withLiveTimes(tables: TimetableTables, least: LeastTimes, live: LiveLanes): LeastTimes {
  const { patterns, trips } = tables;
  const [ride, stand] = [least.ride.slice(), least.stand.slice()];
  for (const { trip, state, arrival, departure } of live.runs) {
    if (state === 'gone' || trip < 0) continue;
    const first = patterns.firstCall[trips.pattern[trip]!]!;
    for (let k = 0; k < arrival.length; k++) {
      stand[first + k] = Math.min(stand[first + k]!, departure[k]! - arrival[k]!);
      if (k + 1 < arrival.length) ride[first + k] = Math.min(ride[first + k]!, arrival[k + 1]! - departure[k]!);
    }
  }
  return { ride, stand };
}

/** What bounds are worked out from. */
export interface BoundsTask {
  readonly tables: TimetableTables;
  readonly side: Side;
  /** The other direction: bounds are found from the end. */
  readonly opposite: Side;
  readonly least: LeastTimes;
  readonly live: LiveLanes | null;
  readonly changeSeconds: Int32Array;
  /** Seconds on foot by change place, -1 where it is too far. */
  readonly egress: Int32Array;
  readonly maxRounds: number;
}

const MANY = 0xff;

/** Memory of a planner for its bounds, used again for each question. */
export function createBoundsFinder(tables: TimetableTables, placeCount: number) {
  const { patterns, stops, stopCalls, changePlaces } = tables;
  const patternCount = patterns.route.length;
  const stopCount = stops.source.length;
  const leftRides = new Uint8Array(placeCount);
  const leftSeconds = new Int32Array(placeCount);
  const readyRides = new Uint8Array(placeCount);
  const readySeconds = new Int32Array(placeCount);
  const callRides = new Uint8Array(tables.patternCalls.stop.length);
  const callSeconds = new Int32Array(tables.patternCalls.stop.length);
  const isQueued = new Uint8Array(patternCount);
  /** Seconds still ahead on board at the last call, for those who stay in what the trip goes on as. */
  const aboard = new Int32Array(patternCount);
  const isMarked = new Uint8Array(placeCount);
  const queue = new IntList();
  let marked = new IntList();
  let better = new IntList();
  const predecessors = new Map<Side, Map<number, readonly number[]>>();

  /** Patterns of which some trip goes on as one of this pattern. */
  const getPredecessors = (side: Side): Map<number, readonly number[]> => {
    const known = predecessors.get(side) ?? listPredecessors(tables, side);
    predecessors.set(side, known);
    return known;
  };

  return function findBounds(task: BoundsTask): LowerBounds {
    const { side, opposite, egress, changeSeconds, live } = task;
    leftRides.fill(MANY);
    leftSeconds.fill(NEVER);
    readyRides.fill(MANY);
    readySeconds.fill(NEVER);
    callRides.fill(MANY);
    callSeconds.fill(NEVER);
    const goesOn = tables.continuations.fromTrip.length > 0;
    if (goesOn) aboard.fill(NEVER);
    queue.clear();
    marked.clear();
    for (let place = 0; place < placeCount; place++) {
      if (egress[place]! < 0) continue;
      leftRides[place] = 0;
      leftSeconds[place] = egress[place]!;
      marked.push(place);
    }
    for (let round = 1; round <= task.maxRounds && marked.length > 0; round++) {
      queuePatterns(side);
      marked.clear();
      for (let i = 0; i < queue.length; i++) scan(task, queue.items[i]!, round, goesOn);
      queue.clear();
      if (live) scanOwnPatterns(task, live, round);
      [better, marked] = [marked, better];
      marked.clear();
      unmark(better);
      changeBack(opposite, changeSeconds, round);
      unmark(marked);
    }
    return { leftRides, leftSeconds, readyRides, readySeconds, callRides, callSeconds };
  };

  function queuePatterns({ leaveAt }: Side): void {
    for (let at = 0; at < marked.length; at++) {
      const place = marked.items[at]!;
      const stop = place < stopCount ? place : changePlaces.stop[place - stopCount]!;
      const first = stops.firstStopCall[stop]!;
      for (let i = first; i < first + stops.stopCallCount[stop]!; i++) {
        const pattern = stopCalls.pattern[i]!;
        if (isQueued[pattern] === 1) continue;
        if (leaveAt[patterns.firstCall[pattern]! + stopCalls.position[i]!] !== place) continue;
        isQueued[pattern] = 1;
        queue.push(pattern);
      }
    }
  }

  function noteReady(place: number, ahead: number, round: number): void {
    if (ahead >= readySeconds[place]!) return;
    readySeconds[place] = ahead;
    if (readyRides[place] === MANY) readyRides[place] = round;
    mark(place);
  }

  function unmark({ items, length }: IntList): void {
    for (let at = 0; at < length; at++) isMarked[items[at]!] = 0;
  }

  function mark(place: number): void {
    if (isMarked[place] === 1) return;
    isMarked[place] = 1;
    marked.push(place);
  }

  /** Rides a pattern backwards, against the direction of search, from its end. */
  function scan({ side, least }: BoundsTask, pattern: number, round: number, goesOn: boolean): void {
    isQueued[pattern] = 0;
    const { sign, enterAt, leaveAt } = side;
    const first = patterns.firstCall[pattern]!;
    const callCount = patterns.callCount[pattern]!;
    let ahead = goesOn ? aboard[pattern]! : NEVER;
    let position = sign > 0 ? callCount - 1 : 0;
    for (let step = 0; step < callCount; step++, position -= sign) {
      const call = first + position;
      // Seconds to the next call in the direction of search lie at the earlier of the two.
      if (step > 0) ahead += least.ride[sign > 0 ? call : call - 1]!;
      const enters = enterAt[call]!;
      if (enters >= 0 && ahead < callSeconds[call]!) {
        callSeconds[call] = ahead;
        if (callRides[call] === MANY) callRides[call] = round;
      }
      if (enters >= 0) noteReady(enters, ahead, round);
      ahead += least.stand[call]!;
      const leaves = leaveAt[call]!;
      if (leaves >= 0 && leftSeconds[leaves]! < ahead) ahead = leftSeconds[leaves]!;
      if (ahead > NEVER) ahead = NEVER;
    }
    if (!goesOn || ahead >= NEVER) return;
    for (const before of getPredecessors(side).get(pattern) ?? []) {
      if (ahead >= aboard[before]!) continue;
      aboard[before] = ahead;
      if (isQueued[before] === 1) continue;
      isQueued[before] = 1;
      queue.push(before);
    }
  }

  /**
   * Trips that the timetable does not hold are few: all are looked at in each round. Others that have calls of their own
   * only leave some out: what holds for their pattern holds for them.
   */
  function scanOwnPatterns({ side }: BoundsTask, live: LiveLanes, round: number): void {
    const { sign } = side;
    const [enterAt, leaveAt] = sign > 0 ? [live.boardAt, live.alightAt] : [live.alightAt, live.boardAt];
    live.ownPattern.forEach((pattern, own) => {
      if (pattern < patternCount) return;
      const run = ~live.trips[live.first[live.ownList[own]!]!]!;
      const { arrival, departure, trip } = live.runs[run]!;
      if (trip >= 0) return;
      const first = live.patternFirstCall[pattern - patternCount]!;
      const count = arrival.length;
      let ahead: number = NEVER;
      let position = sign > 0 ? count - 1 : 0;
      for (let step = 0; step < count; step++, position -= sign) {
        if (step > 0) {
          const call = sign > 0 ? position : position - 1;
          ahead += arrival[call + 1]! - departure[call]!;
        }
        const enters = enterAt[first + position]!;
        if (enters >= 0) noteReady(enters, ahead, round);
        ahead += departure[position]! - arrival[position]!;
        const leaves = leaveAt[first + position]!;
        if (leaves >= 0 && leftSeconds[leaves]! < ahead) ahead = leftSeconds[leaves]!;
      }
    });
  }

  /** Changes backwards, from where the next trip is boarded to where the one before is left. */
  function changeBack(opposite: Side, changeSeconds: Int32Array, round: number): void {
    const { changeStarts, changeOrder, changeTo } = opposite;
    for (let at = 0; at < better.length; at++) {
      const place = better.items[at]!;
      const ahead = readySeconds[place]!;
      for (let i = changeStarts[place]!; i < changeStarts[place + 1]!; i++) {
        const change = changeOrder === null ? i : changeOrder[i]!;
        const seconds = changeSeconds[change]!;
        if (seconds === NO_CHANGE) continue;
        const from = changeTo[change]!;
        const time = ahead + seconds;
        if (time >= leftSeconds[from]!) continue;
        leftSeconds[from] = time;
        if (leftRides[from] === MANY) leftRides[from] = round;
        mark(from);
      }
    }
  }
}

/** By pattern, where there are any: the patterns of which some trip goes on, in the direction of search, as one of it. */
function listPredecessors({ trips }: TimetableTables, { goesOnFrom, goesOnTo }: Side): Map<number, readonly number[]> {
  const sets = new Map<number, Set<number>>();
  for (let row = 0; row < goesOnFrom.length; row++) {
    const [before, after] = [trips.pattern[goesOnFrom[row]!]!, trips.pattern[goesOnTo[row]!]!];
    const set = sets.get(after) ?? new Set();
    sets.set(after, set.add(before));
  }
  return new Map(Array.from(sets, ([after, set]) => [after, [...set]]));
}
