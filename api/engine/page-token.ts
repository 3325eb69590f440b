import { createHash } from 'node:crypto';
import { ApiProblem } from '../contract/problems.ts';
import type { References } from './references.ts';

/** The last row of a page, in the order of boards: the next page holds what comes after it. */
export interface PageCursor {
  readonly time: number;
  readonly label: string;
  readonly id: string;
}

/** @param board names the board and its filters */
export function writePageToken(references: References, board: string, { time, label, id }: PageCursor): string {
  return references.sealPage(JSON.stringify([hashBoard(board), time, label, id]));
}

/** @throws ApiProblem `invalid_parameter` for a token that was altered, or that belongs to another board */
export function readPageToken(references: References, token: string, board: string): PageCursor {
  const content = references.openPage(token);
  if (content === null) throw new ApiProblem('invalid_parameter', 'This is no page token of ours.', 'pageToken');
  const [hash, time, label, id] = JSON.parse(content) as [string, number, string, string];
  if (hash !== hashBoard(board)) {
    throw new ApiProblem('invalid_parameter', 'The page token belongs to another stop or other filters.', 'pageToken');
  }
  return { time, label, id };
}

function hashBoard(board: string): string {
  return createHash('sha256').update(board).digest('base64url').slice(0, 16);
}
