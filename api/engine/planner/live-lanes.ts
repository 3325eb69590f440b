import type { Instant } from '../../../pipeline/model/service-time.ts';
import { getTimeRow } from '../present.ts';
import type { Realtime } from '../realtime.ts';
import type { Timetable } from '../timetable.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import { type LiveRun, listAddedRuns, listLiveRuns } from './live-runs.ts';

/**
 * What realtime changes of some lanes: the lanes in which a trip runs otherwise than planned, made anew, and lanes of
 * their own for trips that overtake, that skip a call, or that the timetable does not hold. The lanes below stay as they
 * are.
 */
export interface LiveLanes {
  /** Good for requests from the moment it was made for until this one; then a forecast is too old. */
  readonly madeAt: Instant;
  readonly goodUntil: number;
  /** By lane of the timetable: its list here, or -1 where it runs as planned. */
  readonly list: Int32Array;
  /** Lists of dated trips: runs of `trips` and `days`. One below 0 is `~run`, see `runs`. */
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  /** By list: seconds by which its runs are quicker or slower at most, from their begin, than planned trips ever are. */
  readonly slack: Int32Array;
  /** Times of runs, from the base of the lanes; one for each call, from `runStart` on. */
  readonly runStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
  readonly runs: readonly LiveRun[];
  /** By run of the timetable: lane and place in `trips` where it stands now; -1 where it does not run. */
  readonly runLane: Int32Array;
  readonly runEntry: Int32Array;
  /** By dated trip of the lanes below, of those that are changed: its run. */
  readonly runOfEntry: ReadonlyMap<number, number>;
  /** Lanes of their own, numbered from the count of the timetable's lanes on; each is the list of the same place here. */
  readonly ownPattern: Int32Array;
  readonly ownList: Int32Array;
  /** By pattern of the timetable: its first own lane, or -1; by own lane: the next one of its pattern, or -1. */
  readonly firstOwn: Int32Array;
  readonly nextOwn: Int32Array;
  /** Patterns of their own, numbered from the count of the timetable's patterns on. */
  readonly patternFirstCall: Int32Array;
  readonly patternCallCount: Int32Array;
  readonly patternProduct: Uint8Array;
  readonly boardAt: Int32Array;
  readonly alightAt: Int32Array;
  readonly callStop: Int32Array;
  /** By their calls: 1 where the vehicle stops. */
  readonly isServed: Uint8Array;
  /** By change place: lane and position of calls of such patterns, in turn. */
  readonly boardCalls: ReadonlyMap<number, readonly number[]>;
  readonly alightCalls: ReadonlyMap<number, readonly number[]>;
}

/** @param moment what forecast is fresh is told by it */
export function buildLiveLanes(
  timetable: Timetable,
  lanes: Lanes,
  offsets: CallOffsets,
  realtime: Realtime,
  moment: Instant,
): LiveLanes {
  const { runs, goodUntil } = listLiveRuns(timetable, lanes, realtime, moment);
  const added = listAddedRuns(timetable, lanes, realtime, moment);
  const all = [...runs, ...added.runs];
  const times = layOutTimes(all);
  const builder = createBuilder(timetable, lanes, offsets, all, times);
  builder.replace(runs);
  for (let i = runs.length; i < all.length; i++) builder.addOwnPattern(i);
  return {
    madeAt: moment,
    goodUntil: Math.min(goodUntil, added.goodUntil),
    runs: all,
    ...times,
    ...builder.finish(),
  };
}

function layOutTimes(runs: readonly LiveRun[]) {
  const runStart = new Int32Array(runs.length);
  let count = 0;
  runs.forEach((run, i) => {
    runStart[i] = count;
    count += run.arrival.length;
  });
  const [arrival, departure] = [new Int32Array(count), new Int32Array(count)];
  runs.forEach((run, i) => {
    arrival.set(run.arrival, runStart[i]);
    departure.set(run.departure, runStart[i]);
  });
  return { runStart, arrival, departure };
}

type Times = ReturnType<typeof layOutTimes>;

function createBuilder(
  { tables }: Timetable,
  lanes: Lanes,
  offsets: CallOffsets,
  runs: readonly LiveRun[],
  live: Times,
) {
  const { patterns, routes, patternCalls, times } = tables;
  const patternCount = patterns.route.length;
  const list = new Int32Array(lanes.count).fill(-1);
  const lists = { first: [] as number[], end: [] as number[] };
  // Trips and days of the lists; no more than all that is planned, and all runs.
  const listed = new Int32Array(lanes.trips.length + runs.length);
  const days = new Uint8Array(listed.length);
  let listedCount = 0;
  const slack: number[] = [];
  const own = { pattern: [] as number[], list: [] as number[], next: [] as number[] };
  const firstOwn = new Int32Array(patternCount).fill(-1);
  const calls = {
    boardAt: [] as number[],
    alightAt: [] as number[],
    stop: [] as number[],
    isServed: [] as number[],
  };
  const shapes = { firstCall: [] as number[], callCount: [] as number[], product: [] as number[] };
  const boardCalls = new Map<number, number[]>();
  const alightCalls = new Map<number, number[]>();

  const runLane = new Int32Array(runs.length).fill(-1);
  const runEntry = new Int32Array(runs.length).fill(-1);
  const runOfEntry = new Map<number, number>();
  runs.forEach(({ place }, run) => {
    if (place) runOfEntry.set(place.entry, run);
  });

  const rowOf = (trip: number) =>
    trip < 0 ? live.runStart[~trip]! : getTimeRow(tables, tables.trips.pattern[trip]!, trip);
  /**
   * Whether a dated trip is nowhere before the one ahead of it.
   * @param start when the day of a planned trip begins; the times of a run are real ones, and begin at 0
   */
  const isInOrder = (tripAhead: number, aheadStart: number, trip: number, start: number, callCount: number) => {
    const [ahead, behind] = [tripAhead < 0 ? live : times, trip < 0 ? live : times];
    const [aheadRow, row] = [rowOf(tripAhead), rowOf(trip)];
    const lead = start - aheadStart;
    for (let k = 0; k < callCount; k++) {
      if (behind.arrival[row + k]! + lead < ahead.arrival[aheadRow + k]!) return false;
      if (behind.departure[row + k]! + lead < ahead.departure[aheadRow + k]!) return false;
    }
    return true;
  };
  /** How far the times of a run, counted from its begin, lie outside of those of the pattern's planned trips. */
  const measureSlack = (pattern: number, run: number) => {
    const first = patterns.firstCall[pattern]!;
    const row = live.runStart[run]!;
    const begin = live.departure[row]!;
    let most = 0;
    for (let k = 0; k < runs[run]!.arrival.length; k++) {
      const late = live.departure[row + k]! - begin - offsets.mostDeparture[first + k]!;
      const early = offsets.leastArrival[first + k]! - (live.arrival[row + k]! - begin);
      most = Math.max(most, late, early);
    }
    return most;
  };
  const beginList = () => {
    lists.first.push(listedCount);
    slack.push(0);
    return lists.first.length - 1;
  };
  const endList = () => lists.end.push(listedCount);
  const patternOf = (lane: number) => (lane < lanes.count ? lanes.pattern[lane]! : own.pattern[lane - lanes.count]!);
  /** Puts a run at the end of the list that is being made. */
  const place = (run: number, lane: number) => {
    runLane[run] = lane;
    runEntry[run] = listedCount;
    listed[listedCount] = ~run;
    days[listedCount++] = runs[run]!.day - lanes.firstDay;
    const pattern = patternOf(lane);
    if (pattern < patternCount) slack[slack.length - 1] = Math.max(slack.at(-1)!, measureSlack(pattern, run));
  };
  const addOwnLane = (pattern: number, members: readonly number[]) => {
    const number = own.pattern.push(pattern) - 1;
    own.list.push(beginList());
    for (const run of members) place(run, lanes.count + number);
    endList();
    own.next.push(pattern < patternCount ? firstOwn[pattern]! : -1);
    if (pattern < patternCount) firstOwn[pattern] = number;
    return lanes.count + number;
  };
  /** Deals runs that overtake others to as few lanes of their own as keep their order. */
  const dealApart = (pattern: number, members: readonly number[]) => {
    const dealt: number[][] = [];
    for (const run of members) {
      const callCount = runs[run]!.arrival.length;
      const lane = dealt.find((those) => isInOrder(~those.at(-1)!, 0, ~run, 0, callCount));
      if (lane) lane.push(run);
      else dealt.push([run]);
    }
    for (const those of dealt) addOwnLane(pattern, those);
  };
  /** Puts planned trips of a lane at the end of the list that is being made. */
  const takePlanned = (entry: number, end: number) => {
    listed.set(lanes.trips.subarray(entry, end), listedCount);
    days.set(lanes.days.subarray(entry, end), listedCount);
    listedCount += end - entry;
  };
  /**
   * Makes a lane anew: without the trips of `changed`, and with those of `kept` at their real times where they fit.
   * @param changed entries of the lane, in order
   * @param kept runs, by when they begin
   */
  const remake = (lane: number, changed: readonly number[], kept: readonly number[]) => {
    const pattern = lanes.pattern[lane]!;
    const callCount = patterns.callCount[pattern]!;
    const zone = routes.zone[patterns.route[pattern]!]! * lanes.dayCount;
    const end = lanes.end[lane]!;
    const startOf = (day: number) => lanes.dayStarts[zone + day]!;
    const overtaking: number[] = [];
    list[lane] = beginList();
    const first = listedCount;
    let [entry, skipped] = [lanes.first[lane]!, 0];
    /** Takes what is planned up to an entry, and goes on to the next one that still runs as planned. */
    const takeUpTo = (until: number) => {
      for (; skipped < changed.length && changed[skipped]! < until; skipped++) {
        takePlanned(entry, changed[skipped]!);
        entry = changed[skipped]! + 1;
      }
      takePlanned(entry, until);
      entry = until;
      for (; changed[skipped] === entry; skipped++) entry++;
    };
    for (const run of kept) {
      takeUpTo(findBeginning(lanes, offsets, entry, end, zone, live.departure[live.runStart[run]!]!));
      const last = listedCount - 1;
      const ahead = last < first ? null : listed[last]!;
      const fitsBehind = ahead === null || isInOrder(ahead, ahead < 0 ? 0 : startOf(days[last]!), ~run, 0, callCount);
      const fitsBefore =
        entry >= end || isInOrder(~run, 0, lanes.trips[entry]!, startOf(lanes.days[entry]!), callCount);
      if (fitsBehind && fitsBefore) place(run, lane);
      else overtaking.push(run);
    }
    takeUpTo(end);
    endList();
    dealApart(pattern, overtaking);
  };
  const noteCalls = (pattern: number, lane: number) => {
    const first = shapes.firstCall[pattern - patternCount]!;
    for (let k = 0; k < shapes.callCount[pattern - patternCount]!; k++) {
      note(boardCalls, calls.boardAt[first + k]!, lane, k);
      note(alightCalls, calls.alightAt[first + k]!, lane, k);
    }
  };
  /** Gives a run calls of its own: it is not in the timetable, or leaves some calls out. */
  const addOwnPattern = (run: number) => {
    const { stops, trip, product, isServed } = runs[run]!;
    const count = stops.length;
    const first = calls.stop.length;
    const planned = trip >= 0 ? patterns.firstCall[tables.trips.pattern[trip]!]! : -1;
    stops.forEach((stop, k) => {
      const isOpen = isServed[k] === 1 && stop >= 0;
      calls.stop.push(stop);
      calls.isServed.push(isServed[k]!);
      if (planned >= 0) {
        calls.boardAt.push(isOpen ? patternCalls.boardAt[planned + k]! : -1);
        calls.alightAt.push(isOpen ? patternCalls.alightAt[planned + k]! : -1);
      } else {
        calls.boardAt.push(isOpen && k < count - 1 ? stop : -1);
        calls.alightAt.push(isOpen && k > 0 ? stop : -1);
      }
    });
    const pattern = patternCount + shapes.firstCall.push(first) - 1;
    shapes.callCount.push(count);
    shapes.product.push(product);
    noteCalls(pattern, addOwnLane(pattern, [run]));
  };
  return {
    /** Takes the planned trips of some runs out of their lanes, and puts those that run in again. */
    replace(changed: readonly LiveRun[]) {
      const byLane = new Map<number, { entries: number[]; kept: number[] }>();
      changed.forEach((run, i) => {
        const { lane, entry } = run.place!;
        let group = byLane.get(lane);
        if (!group) {
          group = { entries: [], kept: [] };
          byLane.set(lane, group);
        }
        group.entries.push(entry);
        if (run.state === 'whole') group.kept.push(i);
        else if (run.state === 'partial') addOwnPattern(i);
      });
      const begin = (run: number) => live.departure[live.runStart[run]!]!;
      for (const [lane, { entries, kept }] of byLane) {
        remake(
          lane,
          entries.sort((a, b) => a - b),
          kept.sort((a, b) => begin(a) - begin(b) || a - b),
        );
      }
    },
    addOwnPattern,
    finish: () => ({
      runLane,
      runEntry,
      runOfEntry,
      list,
      first: Int32Array.from(lists.first),
      end: Int32Array.from(lists.end),
      trips: listed.slice(0, listedCount),
      slack: Int32Array.from(slack),
      days: days.slice(0, listedCount),
      ownPattern: Int32Array.from(own.pattern),
      ownList: Int32Array.from(own.list),
      firstOwn,
      nextOwn: Int32Array.from(own.next),
      patternFirstCall: Int32Array.from(shapes.firstCall),
      patternCallCount: Int32Array.from(shapes.callCount),
      patternProduct: Uint8Array.from(shapes.product),
      boardAt: Int32Array.from(calls.boardAt),
      alightAt: Int32Array.from(calls.alightAt),
      callStop: Int32Array.from(calls.stop),
      isServed: Uint8Array.from(calls.isServed),
      boardCalls,
      alightCalls,
    }),
  };
}

/** The first entry of a lane, from one on, whose planned trip begins at `time` or later. */
function findBeginning(
  { trips, days, dayStarts }: Lanes,
  { tripBegins }: CallOffsets,
  entry: number,
  end: number,
  zone: number,
  time: number,
): number {
  let [low, high] = [entry, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tripBegins[trips[middle]!]! + dayStarts[zone + days[middle]!]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function note(calls: Map<number, number[]>, place: number, lane: number, position: number): void {
  if (place < 0) return;
  const there = calls.get(place);
  if (there) there.push(lane, position);
  else calls.set(place, [lane, position]);
}
