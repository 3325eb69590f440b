import { createHash } from 'node:crypto';
import { products as allProducts, type Product } from '../../../pipeline/model/product.ts';
import { rememberPer } from '../../../pipeline/model/recent-map.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Arrival, Departure } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { listBookingNotices } from '../alerts/booking-notices.ts';
import { listNotices } from '../alerts/notices.ts';
import { findBooking, listBookingAttributes } from '../read/bookings.ts';
import {
  findAnnouncedPlatform,
  findPlatform,
  getCallStop,
  getLine,
  getStopName,
  getTripDirection,
  getTripOrigin,
  openTrip,
} from '../read/dated-trip.ts';
import { openEventTimes, presentEventTime } from '../read/event-times.ts';
import { listOccupancy } from '../read/occupancy.ts';
import {
  listCallAttributes,
  presentPlatform,
  presentServiceKind,
  presentStop,
  presentTimestamp,
} from '../read/present.ts';
import type { Published } from '../read/realtime.ts';
import type { References } from '../read/references.ts';
import { findStop } from '../read/stop-ids.ts';
import type { Timetable } from '../read/timetable.ts';
import { type BoardCall, type BoardContext, type BoardView, eventOf, viewBoard } from './board-calls.ts';
import { type BoardPlace, getPlace, type PlacedCall, sortCalls } from './board-order.ts';
import type { BoardKind, CallFilter } from './calls-at-stop.ts';
import { encodeRow, writeBoard } from './write-board.ts';

/** Parameters of a board, the same for all pages. */
interface BoardParameters {
  readonly durationMinutes: number;
  readonly limit: number;
  readonly lines?: readonly string[];
  readonly products?: readonly Product[];
  /** `directionStopId` of departures, `originStopId` of arrivals. */
  readonly otherStopId?: string;
}

/** Where a following page continues. */
interface PageCursor {
  /** Begin of the board: calls that departed before it are shown on no page. */
  readonly from: number;
  /** When its first page was made: what was fresh then determines the order of all pages. */
  readonly orderedAt: number;
  /** Begin of the window, in scheduled time. */
  readonly begin: number;
  /** The last row of the previous page in the same window; null when no row of the window has been shown. */
  readonly after: BoardPlace | null;
}

/** Increases with every change of `PageContent`, so that tokens of another format are rejected. */
const FORMAT = 4;

type PageContent = [
  format: number,
  stopId: string,
  parameters: Omit<BoardParameters, 'lines'>,
  /** Null: all; a text: the hash of lines that are too long for a token. */
  lines: readonly string[] | string | null,
  from: number,
  orderedAt: number,
  begin: number,
  after: [time: number, label: string, id: string] | null,
];

/** Keeps a token within the 4000 characters that the contract accepts. */
const MAX_LINES_BYTES = 1500;

/** Writes a token with the stop, the parameters and the cursor, which alone is enough for the following page. */
function writePageToken(
  references: References,
  stopId: string,
  parameters: BoardParameters,
  { from, orderedAt, begin, after }: PageCursor,
): string {
  const { lines = null, ...rest } = parameters;
  const isLong = lines !== null && Buffer.byteLength(JSON.stringify(lines)) > MAX_LINES_BYTES;
  const place: PageContent[7] = after ? [after.time, after.label, after.id] : null;
  const content: PageContent = [FORMAT, stopId, rest, isLong ? hashLines(lines) : lines, from, orderedAt, begin, place];
  return references.sealPage(JSON.stringify(content));
}

/**
 * Reads the parameters and the cursor of a token.
 * @param sent parameters beside the token: filters must equal those of the token, the limit may differ
 * @throws ApiProblem `invalid_parameter` for a token that was altered, or that belongs to another stop or other filters
 */
function readPageToken(
  references: References,
  token: string,
  stopId: string,
  sent: Partial<BoardParameters>,
): { readonly parameters: BoardParameters; readonly cursor: PageCursor } {
  const content = references.openPage(token);
  if (content === null) throw refuse('Invalid page token. Request the first page again.');
  const [format, itsStopId, rest, lines, from, orderedAt, begin, place] = JSON.parse(content) as PageContent;
  if (format !== FORMAT)
    throw refuse('The page token was issued by another version of the service. Request the first page again.');
  if (itsStopId !== stopId)
    throw refuse('The page token belongs to another stop. Request the first page of this stop.');
  const parameters = { ...rest, ...findLines(lines, sent.lines) };
  if (nameFilter(parameters) !== nameFilter({ ...parameters, ...sent })) {
    throw refuse('The page token belongs to other filters. Repeat the original filters, or omit them.');
  }
  const after = place ? { time: place[0], label: place[1], id: place[2] } : null;
  return { parameters: { ...parameters, ...withLimit(sent) }, cursor: { from, orderedAt, begin, after } };
}

function withLimit({ limit }: Partial<BoardParameters>): Partial<BoardParameters> {
  return limit === undefined ? {} : { limit };
}

/** @throws ApiProblem when the token has only the hash of its lines, and the same lines are not sent beside it */
function findLines(lines: PageContent[3], sent: readonly string[] | undefined): Pick<BoardParameters, 'lines'> {
  if (lines === null) return {};
  if (typeof lines !== 'string') return { lines };
  if (sent !== undefined && hashLines(sent) === lines) return { lines: sent };
  throw refuse('The page token does not contain its long list of lines. Send the same "lines" with it.');
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

/** The parameters that select the rows; the order of lists does not matter. */
function nameFilter({ durationMinutes, lines, products, otherStopId }: BoardParameters): string {
  return JSON.stringify([durationMinutes, lines && sortOnce(lines), products && sortOnce(products), otherStopId]);
}

function sortOnce(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

export interface BoardQuery extends BoardParameters {
  readonly time?: Instant;
}

/** A following page: its parameters come from the token; any beside it must be the same. */
export interface FollowingPage extends Partial<BoardParameters> {
  readonly pageToken: string;
}

/**
 * The departures or arrivals of a stop or station as JSON (`Board` or `ArrivalBoard` of the contract), by time (realtime
 * where known and fresh), then line, then id (code points). Scheduled time decides which calls belong to the board; calls
 * that have departed are left out, late ones that are still expected are included. A page token, of departures only, has
 * all parameters and continues where the previous page ended, window by window of the same duration, over empty hours to
 * the end of the service period; pages neither repeat nor skip rows while the data does not change. Rows are encoded once.
 * @throws ApiProblem `unknown_stop`, `timetable_out_of_range`, `invalid_parameter` (a page token of another board)
 */
export function encodeBoard(
  context: BoardContext,
  stopId: string,
  query: BoardQuery | FollowingPage,
  kind: BoardKind,
): Buffer {
  const { published, references, instant } = context;
  const { parameters, cursor } = readParameters(references, stopId, query);
  const { stop, page, orderedAt } = findPage(context, stopId, parameters, kind, cursor);
  const next = kind === 'departures' ? page.next : null;
  return writeBoard({
    kind,
    stop: presentKnownStop(published.timetable, stop),
    generatedAt: presentTimestamp(instant),
    rows: page.calls.map((call) => encodeCall(context, call, orderedAt, kind)),
    nextPageToken: next ? writePageToken(references, stopId, toParameters(parameters), next) : undefined,
  });
}

const REMEMBERED_STOPS = 2000;

/** The same object on all boards of a stop, so that it is encoded once. */
const presentKnownStop = rememberPer(REMEMBERED_STOPS, (timetable: Timetable, stop) => presentStop(timetable, stop));

function getStop(timetable: Timetable, id: string, parameter?: string): number {
  const stop = findStop(timetable, id);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', parameter);
  return stop;
}

function readFilter(timetable: Timetable, query: BoardQuery, otherStop: string): CallFilter {
  return {
    lines: query.lines ? new Set(query.lines) : null,
    products: query.products ? query.products.reduce((bits, name) => bits | (1 << allProducts.indexOf(name)), 0) : null,
    otherStop: query.otherStopId === undefined ? null : getStop(timetable, query.otherStopId, otherStop),
  };
}

function getBegin({ published, instant }: BoardContext, query: BoardQuery): Instant {
  const begin = query.time ?? instant;
  const { timetable } = published;
  const { beginDate, endDate } = timetable.manifest;
  if (begin + query.durationMinutes * 60 <= timetable.begin || begin > timetable.end) {
    const period = `The loaded timetable covers ${beginDate} to ${endDate}`;
    const blamed = query.time === undefined ? undefined : 'time';
    throw new ApiProblem('timetable_out_of_range', `${period}. Choose a time within this period.`, blamed);
  }
  return begin;
}

function readParameters(
  references: References,
  stopId: string,
  query: BoardQuery | FollowingPage,
): { readonly parameters: BoardQuery; readonly cursor: PageCursor | null } {
  if (!('pageToken' in query)) return { parameters: query, cursor: null };
  const { pageToken, ...sent } = query;
  return readPageToken(references, pageToken, stopId, sent);
}

function toParameters({ time: _, ...parameters }: BoardQuery): BoardParameters {
  return parameters;
}

// ---- Pages -------------------------------------------------------------------------------------

interface Page {
  readonly calls: readonly PlacedCall[];
  /** Cursor of the next page; null at the end. */
  readonly next: PageCursor | null;
}

function findPage(
  context: BoardContext,
  stopId: string,
  query: BoardQuery,
  kind: BoardKind,
  cursor: PageCursor | null,
): { stop: number; page: Page; orderedAt: Instant } {
  const { published, instant } = context;
  const { timetable } = published;
  const stop = getStop(timetable, stopId);
  const filter = readFilter(timetable, query, kind === 'departures' ? 'directionStopId' : 'originStopId');
  const begun = cursor ?? beginBoard(getBegin(context, query), instant);
  const [from, orderedAt] = [begun.from as Instant, begun.orderedAt as Instant];
  const view = viewBoard({ published, stop, kind, filter, from, orderedAt });
  return { stop, page: cutPage(published, view, query, begun), orderedAt };
}

function beginBoard(from: Instant, instant: Instant): PageCursor {
  return { from, orderedAt: instant, begin: from, after: null };
}

/** A following page is empty only if the data changed: its token means that further calls follow, perhaps the next morning. */
function cutPage(published: Published, view: BoardView, query: BoardQuery, cursor: PageCursor): Page {
  const seconds = query.durationMinutes * 60;
  const { from, orderedAt } = cursor;
  let { begin, after } = cursor;
  for (;;) {
    const isFirstWindow = begin === from;
    const page = { limit: query.limit, after };
    const found = view.collect(begin, begin + seconds, isFirstWindow, page);
    const { calls, isCut } = sortCalls(published, found, page);
    if (isCut) return { calls, next: { from, orderedAt, begin, after: getPlace(calls.at(-1)!) } };
    const next = view.findNext(begin + seconds);
    const isFirstPage = isFirstWindow && after === null;
    if (next === null) return { calls, next: null };
    if (calls.length > 0 || isFirstPage) return { calls, next: { from, orderedAt, begin: next, after: null } };
    begin = next;
    after = null;
  }
}

/** Encodes the row of a call, or returns its bytes as long as it cannot have changed. */
function encodeCall(
  context: BoardContext,
  { call, known }: PlacedCall,
  orderedAt: Instant,
  kind: BoardKind,
): Uint8Array {
  const { references, instant } = context;
  const isSettled = Math.max(instant, orderedAt) <= known.settledUntil;
  const shown = known.rows[kind];
  if (isSettled && shown?.references === references) return shown.bytes;
  const bytes = encodeRow(presentRow[kind](context, call, known.id));
  if (isSettled) known.rows[kind] = { references, bytes };
  return bytes;
}

const presentRow = { departures: presentDeparture, arrivals: presentArrival };

/** Members in the order of the contract. */
function presentDeparture(context: BoardContext, call: BoardCall, id: string): Departure {
  const { journeyRef, line, end, stopName, time, rest } = describeCall(context, call, 'departures');
  return { id, journeyRef, line, direction: end, stopName, departure: time, ...rest };
}

/** Members in the order of the contract. */
function presentArrival(context: BoardContext, call: BoardCall, id: string): Arrival {
  const { journeyRef, line, end, stopName, time, rest } = describeCall(context, call, 'arrivals');
  return { id, journeyRef, line, origin: end, stopName, arrival: time, ...rest };
}

/** The members that departures and arrivals share. */
function describeCall(
  { published, references, instant }: BoardContext,
  { datedCall, time: ordered }: BoardCall,
  kind: BoardKind,
) {
  const { timetable } = published;
  const trip = openTrip(published, datedCall);
  const { day, position } = datedCall;
  // A following page keeps the order of the first one; a forecast may have expired since.
  const time = instant <= trip.settledUntil ? ordered : openEventTimes(trip, instant)(position, eventOf(kind));
  const pattern = datedCall.trip < 0 ? -1 : timetable.tables.trips.pattern[datedCall.trip]!;
  const booking = findBooking(timetable, datedCall, position, kind === 'departures' ? 'pickup' : 'dropOff');
  const notices = listNotices(trip, [getCallStop(trip, position)], time.expected, time.expected);
  const ofPlan = pattern < 0 ? [] : listCallAttributes(timetable, pattern, position, datedCall.trip);
  const isDeparture = kind === 'departures' && !time.isCancelled;
  const occupancy = isDeparture ? listOccupancy(trip, position, instant) : [];
  const attributes = occupancy.length === 0 ? ofPlan : [...ofPlan, ...occupancy];
  return {
    journeyRef: references.sealJourney({ tripKey: trip.tripKey, day }),
    line: getLine(trip),
    end: kind === 'departures' ? getTripDirection(trip, position) : getTripOrigin(trip),
    stopName: getStopName(trip, position),
    time: presentEventTime(time),
    rest: {
      platform: presentPlatform(findPlatform(trip, position), findAnnouncedPlatform(trip, position)),
      cancelled: time.isCancelled,
      ...presentServiceKind(trip.flags),
      notices: booking === null ? notices : [...listBookingNotices(trip, [booking], instant), ...notices],
      attributes:
        booking === null ? attributes : [...attributes, ...listBookingAttributes(timetable, [booking], instant)],
    },
  };
}
