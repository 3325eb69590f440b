import { createHash } from 'node:crypto';
import type { Product } from '../../pipeline/model/product.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { BoardPlace } from './board-order.ts';
import type { References } from './references.ts';

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
