import { createHash } from 'node:crypto';
import { ApiProblem } from '../contract/problems.ts';
import type { BoardPlace } from './board-order.ts';
import type { References } from './references.ts';

/** Where a following page goes on. */
export interface PageCursor {
  /** Where the board began: what left before it is not shown on any page. */
  readonly from: number;
  /** When its first page was made: by what was fresh then all pages are put in order. */
  readonly orderedAt: number;
  /** Beginning of the window, in scheduled time. */
  readonly begin: number;
  /** The last row of the page before in the same window; null for a window that nobody has seen yet. */
  readonly after: BoardPlace | null;
}

type PageContent = [
  hash: string,
  from: number,
  orderedAt: number,
  begin: number,
  after: [time: number, label: string, id: string] | null,
];

/** @param board names the board and its filters */
export function writePageToken(references: References, board: string, cursor: PageCursor): string {
  const { from, orderedAt, begin, after } = cursor;
  const place = after ? [after.time, after.label, after.id] : null;
  return references.sealPage(JSON.stringify([hashBoard(board), from, orderedAt, begin, place]));
}

/** @throws ApiProblem `invalid_parameter` for a token that was altered, or that belongs to another board */
export function readPageToken(references: References, token: string, board: string): PageCursor {
  const content = references.openPage(token);
  if (content === null) throw new ApiProblem('invalid_parameter', 'This is no page token of ours.', 'pageToken');
  const [hash, from, orderedAt, begin, place] = JSON.parse(content) as PageContent;
  if (hash !== hashBoard(board)) {
    throw new ApiProblem('invalid_parameter', 'The page token belongs to another stop or other filters.', 'pageToken');
  }
  const after = place ? { time: place[0], label: place[1], id: place[2] } : null;
  return { from, orderedAt, begin, after };
}

/** To be raised with every change of `PageContent`: a token of another format is refused like one of another board. */
const FORMAT = 3;

function hashBoard(board: string): string {
  return createHash('sha256').update(`${FORMAT} ${board}`).digest('base64url').slice(0, 16);
}
