import { products as allProducts } from '../../pipeline/model/product.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import type { ArrivalBoard, Board } from '../contract/definitions.ts';
import { ApiProblem } from '../contract/problems.ts';
import { type BoardView, viewBoard } from './board-calls.ts';
import { type PlacedCall, sortCalls } from './board-order.ts';
import { presentArrival, presentDeparture } from './board-rows.ts';
import type { BoardKind, CallFilter } from './calls-at-stop.ts';
import { type BoardQuestion, type PageCursor, readPageToken, writePageToken } from './page-token.ts';
import { presentStop, presentTimestamp } from './present.ts';
import type { Published } from './realtime.ts';
import type { References } from './references.ts';
import { findStop } from './stop-ids.ts';
import type { Timetable } from './timetable.ts';

export interface BoardQuery extends BoardQuestion {
  readonly time?: Instant;
}

/** A following page: the token says what was asked; what is sent beside it must be the same. */
export interface FollowingPage extends Partial<BoardQuestion> {
  readonly pageToken: string;
}

export interface BoardContext {
  readonly published: Published;
  readonly references: References;
  /** Now: what a board without `time` begins with, and by which a forecast is fresh or not. */
  readonly moment: Instant;
}

/**
 * The departures of a stop or station, by time (realtime where it is known and fresh), then line, then id (code points).
 * Which calls belong to the board is measured on scheduled time; who has left already is gone, who is late and still to
 * come is there. A page token carries the whole question and continues where the page before it ended, window by window of
 * the same duration, over empty hours to the end of the service period; pages neither repeat nor skip while the data stays
 * the same.
 * @throws ApiProblem `unknown_stop`, `timetable_out_of_range`, `invalid_parameter` (a page token of another board)
 */
export function getDepartures(context: BoardContext, stopId: string, query: BoardQuery | FollowingPage): Board {
  const { published, references, moment } = context;
  const { question, cursor } = readQuestion(references, stopId, query);
  const { stop, page } = findPage(context, stopId, question, 'departures', cursor);
  return {
    stop: presentStop(published.timetable, stop),
    generatedAt: presentTimestamp(moment),
    departures: page.calls.map(({ call, place }) => presentDeparture(context, call, place.id)),
    ...(page.next ? { nextPageToken: writePageToken(references, stopId, toQuestion(question), page.next) } : {}),
  };
}

/**
 * The arrivals of a stop or station, in the order of departures.
 * @throws ApiProblem `unknown_stop`, `timetable_out_of_range`
 */
export function getArrivals(context: BoardContext, stopId: string, query: BoardQuery): ArrivalBoard {
  const { stop, page } = findPage(context, stopId, query, 'arrivals', null);
  return {
    stop: presentStop(context.published.timetable, stop),
    generatedAt: presentTimestamp(context.moment),
    arrivals: page.calls.map(({ call, place }) => presentArrival(context, call, place.id)),
  };
}

function getStop(timetable: Timetable, id: string, parameter?: string): number {
  const stop = findStop(timetable, id);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable holds no stop of this id.', parameter);
  return stop;
}

function readFilter(timetable: Timetable, query: BoardQuery, otherStop: string): CallFilter {
  return {
    lines: query.lines ? new Set(query.lines) : null,
    products: query.products ? query.products.reduce((bits, name) => bits | (1 << allProducts.indexOf(name)), 0) : null,
    otherStop: query.otherStopId === undefined ? null : getStop(timetable, query.otherStopId, otherStop),
  };
}

function getBegin({ published, moment }: BoardContext, query: BoardQuery): Instant {
  const begin = query.time ?? moment;
  const { timetable } = published;
  const { beginDate, endDate } = timetable.manifest;
  if (begin + query.durationMinutes * 60 <= timetable.begin || begin > timetable.end) {
    const period = `The loaded timetable runs from ${beginDate} to ${endDate}`;
    const blamed = query.time === undefined ? undefined : 'time';
    throw new ApiProblem('timetable_out_of_range', `${period}; ask for a time within it.`, blamed);
  }
  return begin;
}

function readQuestion(
  references: References,
  stopId: string,
  query: BoardQuery | FollowingPage,
): { readonly question: BoardQuery; readonly cursor: PageCursor | null } {
  if (!('pageToken' in query)) return { question: query, cursor: null };
  const { pageToken, ...sent } = query;
  return readPageToken(references, pageToken, stopId, sent);
}

function toQuestion({ time: _, ...question }: BoardQuery): BoardQuestion {
  return question;
}

// ---- Pages -------------------------------------------------------------------------------------

interface Page {
  readonly calls: readonly PlacedCall[];
  /** Where the next page goes on; null where nothing more comes. */
  readonly next: PageCursor | null;
}

function findPage(
  context: BoardContext,
  stopId: string,
  query: BoardQuery,
  kind: BoardKind,
  cursor: PageCursor | null,
): { stop: number; page: Page } {
  const { published, moment } = context;
  const { timetable } = published;
  const stop = getStop(timetable, stopId);
  const filter = readFilter(timetable, query, kind === 'departures' ? 'directionStopId' : 'originStopId');
  const begun = cursor ?? beginBoard(getBegin(context, query), moment);
  const [from, orderedAt] = [begun.from as Instant, begun.orderedAt as Instant];
  const view = viewBoard({ published, stop, kind, filter, from, orderedAt });
  return { stop, page: cutPage(published, view, query, begun) };
}

function beginBoard(from: Instant, moment: Instant): PageCursor {
  return { from, orderedAt: moment, begin: from, after: null };
}

/** A following page is empty only if the data changed: it was promised because there is more, be it after a quiet night. */
function cutPage(published: Published, view: BoardView, query: BoardQuery, cursor: PageCursor): Page {
  const seconds = query.durationMinutes * 60;
  let { begin, after } = cursor;
  for (;;) {
    const isFirstWindow = begin === cursor.from;
    const found = view.collect(begin, begin + seconds, isFirstWindow);
    const { calls, isCut } = sortCalls(published, found, query.limit, after);
    if (isCut) return { calls, next: { ...cursor, begin, after: calls.at(-1)!.place } };
    const next = view.findNext(begin + seconds);
    const isFirstPage = isFirstWindow && after === null;
    if (next === null) return { calls, next: null };
    if (calls.length > 0 || isFirstPage) return { calls, next: { ...cursor, begin: next, after: null } };
    begin = next;
    after = null;
  }
}
