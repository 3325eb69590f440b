import { products as allProducts, type Product } from '../../pipeline/model/product.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { Arrival, ArrivalBoard, Board, Departure } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import {
  type BoardCalls,
  type CallFilter,
  collectCalls,
  findNextTime,
  listBoardCalls,
  type StopCall,
} from './calls-at-stop.ts';
import { type PageCursor, readPageToken, writePageToken } from './page-token.ts';
import {
  getDirection,
  getOrigin,
  listCallAttributes,
  presentPlatform,
  presentScheduled,
  presentStop,
  presentTimestamp,
} from './present.ts';
import type { References } from './references.ts';
import { findStop } from './stop-ids.ts';
import { getMembers, type Timetable } from './timetable.ts';

export interface BoardQuery {
  readonly durationMinutes: number;
  readonly limit: number;
  readonly lines?: readonly string[];
  readonly products?: readonly Product[];
  /** `directionStopId` of departures, `originStopId` of arrivals. */
  readonly otherStopId?: string;
  readonly time?: Instant;
  readonly pageToken?: string;
}

export interface BoardContext {
  readonly timetable: Timetable;
  readonly references: References;
  /** Now, rounded down: what a board without `time` begins with. */
  readonly moment: Instant;
}

/**
 * The departures of a stop or station, by time, then line, then id (code points). A page token leads on where the page
 * before it ended, over empty hours to the end of the service period, and neither repeats nor skips.
 * @throws ApiProblem `unknown_stop`, `timetable_out_of_range`, `invalid_parameter` (a page token of another board)
 */
export function getDepartures(context: BoardContext, stopId: string, query: BoardQuery): Board {
  const { timetable } = context;
  const stop = getStop(timetable, stopId);
  const calls = listBoardCalls(timetable, stop, 'departures', readFilter(timetable, query, 'directionStopId'));
  const board = nameBoard(stopId, query);
  const cursor = query.pageToken === undefined ? null : readPageToken(context.references, query.pageToken, board);
  const begin = cursor ? cursor.time : getBegin(context, query);
  const window = findWindow(timetable, calls, query, begin, cursor);
  const next = findNextPage(timetable, calls, window);
  return {
    stop: presentStop(timetable, stop),
    generatedAt: presentTimestamp(context.moment),
    departures: window.calls.map((call) => presentDeparture(context, call)),
    ...(next ? { nextPageToken: writePageToken(context.references, board, next) } : {}),
  };
}

/**
 * The arrivals of a stop or station, in the order of departures.
 * @throws ApiProblem `unknown_stop`, `timetable_out_of_range`
 */
export function getArrivals(context: BoardContext, stopId: string, query: BoardQuery): ArrivalBoard {
  const { timetable } = context;
  const stop = getStop(timetable, stopId);
  const calls = listBoardCalls(timetable, stop, 'arrivals', readFilter(timetable, query, 'originStopId'));
  const begin = getBegin(context, query);
  const window = findWindow(timetable, calls, query, begin, null);
  return {
    stop: presentStop(timetable, stop),
    generatedAt: presentTimestamp(context.moment),
    arrivals: window.calls.map((call) => presentArrival(context, call)),
  };
}

function getStop(timetable: Timetable, id: string, parameter?: string): number {
  const stop = findStop(timetable, id);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable holds no stop of this id.', parameter);
  return stop;
}

function readFilter(timetable: Timetable, query: BoardQuery, otherStop: string): CallFilter {
  const other = query.otherStopId === undefined ? null : getStop(timetable, query.otherStopId, otherStop);
  return {
    lines: query.lines ? new Set(query.lines) : null,
    products: query.products ? query.products.reduce((bits, name) => bits | (1 << allProducts.indexOf(name)), 0) : null,
    otherStops: other === null ? null : new Set(getMembers(timetable.tables, other)),
  };
}

function getBegin({ timetable, moment }: BoardContext, query: BoardQuery): Instant {
  const begin = query.time ?? moment;
  const { beginDate, endDate } = timetable.manifest;
  if (begin + query.durationMinutes * 60 <= timetable.begin || begin > timetable.end) {
    const period = `The loaded timetable runs from ${beginDate} to ${endDate}`;
    const blamed = query.time === undefined ? undefined : 'time';
    throw new ApiProblem('timetable_out_of_range', `${period}; ask for a time within it.`, blamed);
  }
  return begin;
}

// ---- Order and pages ---------------------------------------------------------------------------

interface SortedCall extends StopCall {
  readonly label: string;
  /** Unique on the board, and the same whenever the timetable holds this call. */
  readonly id: string;
}

/** The order of boards, total: no two calls have the same id. */
function compareCalls(a: PageCursor, b: PageCursor): number {
  return a.time - b.time || compareText(a.label, b.label) || compareText(a.id, b.id);
}

/** JavaScript compares UTF-16 code units, which misplaces only what lies beyond the basic plane. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const [pointsA, pointsB] = [[...a], [...b]];
  for (let i = 0; i < pointsA.length && i < pointsB.length; i++) {
    const difference = pointsA[i]!.codePointAt(0)! - pointsB[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return pointsA.length - pointsB.length;
}

/** The first calls of a window in the order of boards. */
interface Window {
  readonly end: number;
  readonly calls: readonly SortedCall[];
  /** Whether the window holds more than these. */
  readonly isCut: boolean;
}

/**
 * Puts calls in order, as far as a page needs them: most of a busy hour is cut off by time alone, before anything is
 * named or compared by name.
 * @param cursor only what comes after it
 */
function sortCalls(
  { tables }: Timetable,
  calls: StopCall[],
  limit: number,
  cursor: PageCursor | null,
): Pick<Window, 'calls' | 'isCut'> {
  calls.sort((a, b) => a.time - b.time);
  // Of the cursor's own second, none to all may have been shown already.
  const sameSecond = cursor ? calls.filter(({ time }) => time === cursor.time).length : 0;
  const lastTime = calls[limit + sameSecond]?.time ?? Number.POSITIVE_INFINITY;
  const needed = calls.filter(({ time }) => time <= lastTime).map((call) => nameCall(tables, call));
  const sorted = needed.sort(compareCalls);
  const after = cursor ? sorted.filter((call) => compareCalls(call, cursor) > 0) : sorted;
  return { calls: after.slice(0, limit), isCut: after.length > limit };
}

function nameCall({ patterns, routes, trips }: Timetable['tables'], call: StopCall): SortedCall {
  const { pattern, position, trip, day, time } = call;
  const label = routes.label.get(patterns.route[pattern]!);
  const id = `${trips.key[trip]!.toString(16).padStart(16, '0')}.${day}.${position}`;
  return { pattern, position, trip, day, time, label, id };
}

function findWindow(
  timetable: Timetable,
  calls: BoardCalls,
  query: BoardQuery,
  begin: number,
  cursor: PageCursor | null,
): Window {
  const seconds = query.durationMinutes * 60;
  const collect = (from: number): Window => {
    const found = collectCalls(timetable, calls, from, from + seconds);
    return { end: from + seconds, ...sortCalls(timetable, found, query.limit, cursor) };
  };
  const window = collect(begin);
  if (!cursor || window.calls.length > 0) return window;
  // A following page is never empty: it was promised because there is more, be it after a quiet night.
  const next = findNextTime(timetable, calls, window.end);
  return next === null ? window : collect(next);
}

function findNextPage(timetable: Timetable, calls: BoardCalls, window: Window): PageCursor | null {
  if (window.isCut) return window.calls.at(-1)!;
  const next = findNextTime(timetable, calls, window.end);
  // Before everything of that moment: a label and an id come after no text at all.
  return next === null ? null : { time: next, label: '', id: '' };
}

/** What a page token belongs to: another stop or another filter would make nonsense of it. */
function nameBoard(stopId: string, query: BoardQuery): string {
  return JSON.stringify([stopId, query.durationMinutes, query.lines, query.products, query.otherStopId]);
}

// ---- Rows --------------------------------------------------------------------------------------

/** What departures and arrivals tell alike. */
function presentCall({ timetable, references }: BoardContext, { pattern, position, trip, day, time }: SortedCall) {
  const { patterns, patternCalls, trips, stops } = timetable.tables;
  const stop = patternCalls.stop[patterns.firstCall[pattern]! + position]!;
  return {
    journeyRef: references.sealJourney({ tripKey: trips.key[trip]!, day }),
    line: timetable.lines.get(patterns.route[pattern]!),
    stopName: stops.name.get(stop),
    time: presentScheduled(time),
    platform: presentPlatform(timetable, stop),
    attributes: listCallAttributes(timetable, pattern, position, trip),
  };
}

function presentDeparture(context: BoardContext, call: SortedCall): Departure {
  const { journeyRef, line, stopName, time, platform, attributes } = presentCall(context, call);
  return {
    id: call.id,
    journeyRef,
    line,
    direction: getDirection(context.timetable, call.pattern, call.position, call.trip),
    stopName,
    departure: time,
    platform,
    cancelled: false,
    notices: [],
    attributes,
  };
}

function presentArrival(context: BoardContext, call: SortedCall): Arrival {
  const { journeyRef, line, stopName, time, platform, attributes } = presentCall(context, call);
  return {
    id: call.id,
    journeyRef,
    line,
    origin: getOrigin(context.timetable, call.pattern),
    stopName,
    arrival: time,
    platform,
    cancelled: false,
    notices: [],
    attributes,
  };
}
