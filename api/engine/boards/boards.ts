import { createHash } from 'node:crypto';
import { products as allProducts, type Product } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Arrival, ArrivalBoard, Board, Departure } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { placeRun } from '../news/notices.ts';
import {
  findPlatform,
  getCallStop,
  getLine,
  getStopName,
  getTripDirection,
  getTripOrigin,
  openTrip,
} from '../read/dated-trip.ts';
import { findNotices } from '../read/news.ts';
import {
  listCallAttributes,
  presentCallTime,
  presentPlatform,
  presentServiceKind,
  presentStop,
  presentTimestamp,
} from '../read/present.ts';
import { findText, type Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import { findStop } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { type BoardCall, type BoardContext, type BoardView, eventOf, viewBoard } from './board-calls.ts';
import { type BoardPlace, type PlacedCall, sortCalls } from './board-order.ts';
import type { BoardKind, CallFilter } from './calls-at-stop.ts';

/** What a board of any page is asked for. */
export interface BoardQuestion {
  readonly durationMinutes: number;
  readonly limit: number;
  readonly lines?: readonly string[];
  readonly products?: readonly Product[];
  /** `directionStopId` of departures, `originStopId` of arrivals. */
  readonly otherStopId?: string;
}

/** Where a following page continues. */
export interface PageCursor {
  /** Where the board began: what left before it is not shown on any page. */
  readonly from: number;
  /** When its first page was made: by what was fresh then all pages are put in order. */
  readonly orderedAt: number;
  /** Beginning of the window, in scheduled time. */
  readonly begin: number;
  /** The last row of the page before in the same window; null for a window of which no row was shown yet. */
  readonly after: BoardPlace | null;
}

/** To be raised with every change of `PageContent`: a token of another format is refused. */
const FORMAT = 4;

type PageContent = [
  format: number,
  stopId: string,
  question: Omit<BoardQuestion, 'lines'>,
  /** Null: all; a text: the hash of lines that are too long for a token. */
  lines: readonly string[] | string | null,
  from: number,
  orderedAt: number,
  begin: number,
  after: [time: number, label: string, id: string] | null,
];

/** Keeps a token within the 4000 characters that the contract accepts. */
const MAX_LINES_BYTES = 1500;

/** A token that carries the stop, the question and the place: alone it is enough for the following page. */
export function writePageToken(
  references: References,
  stopId: string,
  question: BoardQuestion,
  { from, orderedAt, begin, after }: PageCursor,
): string {
  const { lines = null, ...rest } = question;
  const isLong = lines !== null && Buffer.byteLength(JSON.stringify(lines)) > MAX_LINES_BYTES;
  const place: PageContent[7] = after ? [after.time, after.label, after.id] : null;
  const content: PageContent = [FORMAT, stopId, rest, isLong ? hashLines(lines) : lines, from, orderedAt, begin, place];
  return references.sealPage(JSON.stringify(content));
}

/**
 * The question and the place of a token.
 * @param sent what was sent beside the token: filters must be those of the token, the limit of a page may be another
 * @throws ApiProblem `invalid_parameter` for a token that was altered, or that belongs to another stop or other filters
 */
export function readPageToken(
  references: References,
  token: string,
  stopId: string,
  sent: Partial<BoardQuestion>,
): { readonly question: BoardQuestion; readonly cursor: PageCursor } {
  const content = references.openPage(token);
  if (content === null) throw refuse('This is no page token of ours.');
  const [format, itsStopId, rest, lines, from, orderedAt, begin, place] = JSON.parse(content) as PageContent;
  if (format !== FORMAT) throw refuse('The page token is of another version of the service; begin anew.');
  if (itsStopId !== stopId) throw refuse('The page token belongs to another stop.');
  const question = { ...rest, ...findLines(lines, sent.lines) };
  if (nameFilter(question) !== nameFilter({ ...question, ...sent })) {
    throw refuse('The page token belongs to other filters.');
  }
  const after = place ? { time: place[0], label: place[1], id: place[2] } : null;
  return { question: { ...question, ...withLimit(sent) }, cursor: { from, orderedAt, begin, after } };
}

function withLimit({ limit }: Partial<BoardQuestion>): Partial<BoardQuestion> {
  return limit === undefined ? {} : { limit };
}

/** @throws ApiProblem when the token has the hash of its lines alone, and these are not beside it */
function findLines(lines: PageContent[3], sent: readonly string[] | undefined): Pick<BoardQuestion, 'lines'> {
  if (lines === null) return {};
  if (typeof lines !== 'string') return { lines };
  if (sent !== undefined && hashLines(sent) === lines) return { lines: sent };
  throw refuse('The lines of this page are too many for a page token; send the same ones beside it.');
}

function refuse(detail: string): ApiProblem {
  return new ApiProblem('invalid_parameter', detail, 'pageToken');
}

function hashLines(lines: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(sortOnce(lines)))
    .digest('base64url')
    .slice(0, 22);
}

/** All of a question that decides which rows there are; lists mean the same in any order. */
function nameFilter({ durationMinutes, lines, products, otherStopId }: BoardQuestion): string {
  return JSON.stringify([durationMinutes, lines && sortOnce(lines), products && sortOnce(products), otherStopId]);
}

function sortOnce(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

export interface BoardQuery extends BoardQuestion {
  readonly time?: Instant;
}

/** A following page: the token says what was asked; what is sent beside it must be the same. */
export interface FollowingPage extends Partial<BoardQuestion> {
  readonly pageToken: string;
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

/** A departure in words, its members in the order of the contract. @param id unique on the board */
function presentDeparture(context: BoardContext, call: BoardCall, id: string): Departure {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'departures');
  return { id, ...named, direction: end, stopName, departure: time, ...rest };
}

/** An arrival in words. @param id unique on the board */
function presentArrival(context: BoardContext, call: BoardCall, id: string): Arrival {
  const { named, end, stopName, time, rest } = describeCall(context, call, 'arrivals');
  return { id, ...named, origin: end, stopName, arrival: time, ...rest };
}

/** What departures and arrivals tell alike. */
function describeCall(context: BoardContext, { run, live, scheduled, shown }: BoardCall, kind: BoardKind) {
  const { published, references, moment } = context;
  const { timetable, realtime } = published;
  const { day, position } = run;
  const trip = openTrip(published, run);
  const announced = live && realtime ? findText(realtime, live.platform) : null;
  const journeyRef = references.sealJourney({ tripKey: trip.tripKey, day });
  return {
    named: { journeyRef, line: getLine(trip) },
    end: kind === 'departures' ? getTripDirection(trip, position) : getTripOrigin(trip),
    stopName: getStopName(trip, position),
    time: presentCallTime(scheduled, live, eventOf(kind), moment),
    rest: {
      platform: presentPlatform(findPlatform(trip, position), announced),
      cancelled: live?.isCancelled ?? false,
      ...presentServiceKind(trip.flags),
      notices: realtime ? findNotices(realtime.news, placeRun(trip, [getCallStop(trip, position)]), shown, shown) : [],
      attributes:
        run.trip < 0
          ? []
          : listCallAttributes(timetable, timetable.tables.trips.pattern[run.trip]!, position, run.trip),
    },
  };
}
