import type { TimetableTables } from '../../../pipeline/timetable/snapshot/contract.ts';
import { getTimeRow } from '../read/present.ts';
import type { CallOffsets } from './call-times.ts';
import type { Lanes } from './lanes.ts';
import type { LiveRun } from './live-runs.ts';

/** Times of live trips in one array, relative to the base of the lanes: one for each call, from `runStart` on. */
export interface RunTimes {
  readonly runStart: Int32Array;
  readonly arrival: Int32Array;
  readonly departure: Int32Array;
}

/** The arrays of live lanes under construction; see `LiveLanes` for their meaning. */
export interface LiveLaneBuilder {
  readonly tables: TimetableTables;
  readonly lanes: Lanes;
  readonly offsets: CallOffsets;
  readonly runs: readonly LiveRun[];
  readonly times: RunTimes;
  /** By lane of the timetable: its list, or -1. */
  readonly list: Int32Array;
  /** By list. */
  readonly lists: { readonly first: number[]; readonly end: number[]; readonly slack: number[] };
  /** Dated trips of the lists: of these arrays, `count` are in use. */
  readonly trips: Int32Array;
  readonly days: Uint8Array;
  count: number;
  /** By lane of its own. */
  readonly own: { readonly pattern: number[]; readonly list: number[]; readonly next: number[] };
  /** By pattern of the timetable: its first own lane, or -1. */
  readonly firstOwn: Int32Array;
  /** By pattern of its own, and by call of these. */
  readonly shapes: { readonly firstCall: number[]; readonly callCount: number[]; readonly product: number[] };
  readonly calls: {
    readonly boardAt: number[];
    readonly alightAt: number[];
    readonly stop: number[];
    readonly isServed: number[];
  };
  /** By change place: lane and position of calls of patterns of their own, in turn. */
  readonly boardCalls: Map<number, number[]>;
  readonly alightCalls: Map<number, number[]>;
  /** By live trip: its lane and entry; -1 where it does not run. */
  readonly runLane: Int32Array;
  readonly runEntry: Int32Array;
}

export function createLiveLaneBuilder(
  tables: TimetableTables,
  lanes: Lanes,
  offsets: CallOffsets,
  runs: readonly LiveRun[],
  times: RunTimes,
): LiveLaneBuilder {
  // Upper limit: all planned trips, and all live ones.
  const most = lanes.trips.length + runs.length;
  return {
    tables,
    lanes,
    offsets,
    runs,
    times,
    list: new Int32Array(lanes.count).fill(-1),
    lists: { first: [], end: [], slack: [] },
    trips: new Int32Array(most),
    days: new Uint8Array(most),
    count: 0,
    own: { pattern: [], list: [], next: [] },
    firstOwn: new Int32Array(tables.patterns.route.length).fill(-1),
    shapes: { firstCall: [], callCount: [], product: [] },
    calls: { boardAt: [], alightAt: [], stop: [], isServed: [] },
    boardCalls: new Map(),
    alightCalls: new Map(),
    runLane: new Int32Array(runs.length).fill(-1),
    runEntry: new Int32Array(runs.length).fill(-1),
  };
}

/** Removes the planned trips of some live trips from their lanes, and inserts those that run at their actual times. */
export function replacePlanned(builder: LiveLaneBuilder, changed: readonly LiveRun[]): void {
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
    else if (run.state === 'partial') addOwnPattern(builder, i);
  });
  for (const [lane, { entries, kept }] of byLane) {
    remakeLane(
      builder,
      lane,
      entries.sort((a, b) => a - b),
      kept.sort((a, b) => getBegin(builder, a) - getBegin(builder, b) || a - b),
    );
  }
}

/** Gives a live trip a pattern of its own: it is not in the timetable, or skips some calls. */
export function addOwnPattern(builder: LiveLaneBuilder, run: number): void {
  const { tables, runs, shapes, calls } = builder;
  const { patterns, patternCalls } = tables;
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
  const pattern = patterns.route.length + shapes.firstCall.push(first) - 1;
  shapes.callCount.push(count);
  shapes.product.push(product);
  noteCalls(builder, first, count, addOwnLane(builder, pattern, [run]));
}

/** Departure of a live trip from its first call, from the base of the lanes. */
function getBegin({ times }: LiveLaneBuilder, run: number): number {
  return times.departure[times.runStart[run]!]!;
}

function noteCalls({ calls, boardCalls, alightCalls }: LiveLaneBuilder, first: number, count: number, lane: number) {
  for (let k = 0; k < count; k++) {
    noteCall(boardCalls, calls.boardAt[first + k]!, lane, k);
    noteCall(alightCalls, calls.alightAt[first + k]!, lane, k);
  }
}

function noteCall(calls: Map<number, number[]>, place: number, lane: number, position: number): void {
  if (place < 0) return;
  const there = calls.get(place);
  if (there) there.push(lane, position);
  else calls.set(place, [lane, position]);
}

// ---- Rebuilt lanes -----------------------------------------------------------------------------

/** Progress of copying the planned trips of a lane to its list. */
interface PlannedCursor {
  /** Entries of the lane that no longer run as planned, in order, and how many of them have been passed. */
  readonly changed: readonly number[];
  skipped: number;
  /** The next entry to copy. */
  entry: number;
}

/**
 * Rebuilds a lane without the trips of `changed`, and with those of `kept` at their actual times where they fit.
 * @param changed entries of the lane, in order
 * @param kept live trips, ordered by begin
 */
function remakeLane(builder: LiveLaneBuilder, lane: number, changed: readonly number[], kept: readonly number[]): void {
  const { lanes } = builder;
  const end = lanes.end[lane]!;
  const overtaking: number[] = [];
  builder.list[lane] = beginList(builder);
  const first = builder.count;
  const planned: PlannedCursor = { changed, skipped: 0, entry: lanes.first[lane]! };
  for (const run of kept) {
    takeUpTo(builder, planned, findEntry(builder, lane, planned.entry, getBegin(builder, run)));
    const isInPlace = fitsBehind(builder, lane, first, run) && fitsBefore(builder, lane, planned.entry, run);
    if (isInPlace) placeRun(builder, run, lane);
    else overtaking.push(run);
  }
  takeUpTo(builder, planned, end);
  endList(builder);
  dealApart(builder, lanes.pattern[lane]!, overtaking);
}

/** Copies the planned trips up to an entry, and moves to the next one that still runs as planned. */
function takeUpTo(builder: LiveLaneBuilder, planned: PlannedCursor, until: number): void {
  const { changed } = planned;
  for (; planned.skipped < changed.length && changed[planned.skipped]! < until; planned.skipped++) {
    takePlanned(builder, planned.entry, changed[planned.skipped]!);
    planned.entry = changed[planned.skipped]! + 1;
  }
  takePlanned(builder, planned.entry, until);
  planned.entry = until;
  for (; changed[planned.skipped] === planned.entry; planned.skipped++) planned.entry++;
}

/** Appends planned trips of a lane to the current list. */
function takePlanned(builder: LiveLaneBuilder, entry: number, end: number): void {
  const { lanes, trips, days } = builder;
  trips.set(lanes.trips.subarray(entry, end), builder.count);
  days.set(lanes.days.subarray(entry, end), builder.count);
  builder.count += end - entry;
}

/** The first entry of a lane, from one on, whose planned trip begins at `time` or later. */
function findEntry({ lanes, offsets, tables }: LiveLaneBuilder, lane: number, entry: number, time: number): number {
  const { trips, days, dayStarts } = lanes;
  const zone = getZone(tables, lanes, lane);
  let [low, high] = [entry, lanes.end[lane]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets.tripBegins[trips[middle]!]! + dayStarts[zone + days[middle]!]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the days of a lane's zone begin in `dayStarts`. */
function getZone({ routes, patterns }: TimetableTables, lanes: Lanes, lane: number): number {
  return routes.zone[patterns.route[lanes.pattern[lane]!]!]! * lanes.dayCount;
}

// ---- Order -------------------------------------------------------------------------------------

/** Whether a live trip overtakes none at the end of the list of its lane. @param first start of the list */
function fitsBehind(builder: LiveLaneBuilder, lane: number, first: number, run: number): boolean {
  const { tables, lanes, trips, days, runs } = builder;
  const last = builder.count - 1;
  if (last < first) return true;
  const ahead = trips[last]!;
  const start = ahead < 0 ? 0 : lanes.dayStarts[getZone(tables, lanes, lane) + days[last]!]!;
  return isInOrder(builder, ahead, start, ~run, 0, runs[run]!.arrival.length);
}

/** Whether a live trip is not overtaken by the next one in its lane. @param entry of the lane */
function fitsBefore(builder: LiveLaneBuilder, lane: number, entry: number, run: number): boolean {
  const { tables, lanes, runs } = builder;
  if (entry >= lanes.end[lane]!) return true;
  const start = lanes.dayStarts[getZone(tables, lanes, lane) + lanes.days[entry]!]!;
  return isInOrder(builder, ~run, 0, lanes.trips[entry]!, start, runs[run]!.arrival.length);
}

/**
 * Whether a dated trip is nowhere before the previous one. One below 0 is `~run`.
 * @param start begin of the day of a planned trip; 0 for a live one, whose times are absolute
 */
function isInOrder(
  builder: LiveLaneBuilder,
  tripAhead: number,
  aheadStart: number,
  trip: number,
  start: number,
  callCount: number,
): boolean {
  const planned = builder.tables.times;
  const [ahead, behind] = [tripAhead < 0 ? builder.times : planned, trip < 0 ? builder.times : planned];
  const [aheadRow, row] = [getRow(builder, tripAhead), getRow(builder, trip)];
  const lead = start - aheadStart;
  for (let k = 0; k < callCount; k++) {
    if (behind.arrival[row + k]! + lead < ahead.arrival[aheadRow + k]!) return false;
    if (behind.departure[row + k]! + lead < ahead.departure[aheadRow + k]!) return false;
  }
  return true;
}

function getRow({ tables, times }: LiveLaneBuilder, trip: number): number {
  return trip < 0 ? times.runStart[~trip]! : getTimeRow(tables, tables.trips.pattern[trip]!, trip);
}

/** Distributes live trips that overtake others to as few extra lanes as keep their order. */
function dealApart(builder: LiveLaneBuilder, pattern: number, members: readonly number[]): void {
  const dealt: number[][] = [];
  for (const run of members) {
    const callCount = builder.runs[run]!.arrival.length;
    const lane = dealt.find((those) => isInOrder(builder, ~those.at(-1)!, 0, ~run, 0, callCount));
    if (lane) lane.push(run);
    else dealt.push([run]);
  }
  for (const those of dealt) addOwnLane(builder, pattern, those);
}

// ---- Lists -------------------------------------------------------------------------------------

function beginList({ lists, count }: LiveLaneBuilder): number {
  lists.slack.push(0);
  return lists.first.push(count) - 1;
}

function endList({ lists, count }: LiveLaneBuilder): void {
  lists.end.push(count);
}

/** @returns the number of the new lane */
function addOwnLane(builder: LiveLaneBuilder, pattern: number, members: readonly number[]): number {
  const { tables, lanes, own, firstOwn } = builder;
  const isPlanned = pattern < tables.patterns.route.length;
  const number = own.pattern.push(pattern) - 1;
  own.list.push(beginList(builder));
  for (const run of members) placeRun(builder, run, lanes.count + number);
  endList(builder);
  own.next.push(isPlanned ? firstOwn[pattern]! : -1);
  if (isPlanned) firstOwn[pattern] = number;
  return lanes.count + number;
}

/** Appends a live trip to the current list. */
function placeRun(builder: LiveLaneBuilder, run: number, lane: number): void {
  const { tables, lanes, runs, lists, own } = builder;
  const entry = builder.count++;
  builder.runLane[run] = lane;
  builder.runEntry[run] = entry;
  builder.trips[entry] = ~run;
  builder.days[entry] = runs[run]!.day - lanes.firstDay;
  const pattern = lane < lanes.count ? lanes.pattern[lane]! : own.pattern[lane - lanes.count]!;
  if (pattern >= tables.patterns.route.length) return;
  const last = lists.slack.length - 1;
  lists.slack[last] = Math.max(lists.slack[last]!, measureSlack(builder, pattern, run));
}

/** How far the times of a live trip, relative to its begin, lie outside of those of the pattern's planned trips. */
function measureSlack({ tables, offsets, times, runs }: LiveLaneBuilder, pattern: number, run: number): number {
  const first = tables.patterns.firstCall[pattern]!;
  const row = times.runStart[run]!;
  const begin = times.departure[row]!;
  let most = 0;
  for (let k = 0; k < runs[run]!.arrival.length; k++) {
    const late = times.departure[row + k]! - begin - offsets.mostDeparture[first + k]!;
    const early = offsets.leastArrival[first + k]! - (times.arrival[row + k]! - begin);
    most = Math.max(most, late, early);
  }
  return most;
}
