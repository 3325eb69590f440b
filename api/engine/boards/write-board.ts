import { rememberPerObject } from '../../../pipeline/model/recent-map.ts';
import type { Arrival, Departure, Line, Platform, Stop, TimeInfo } from '../../contract/definitions.ts';
import type { BoardKind } from './calls-at-stop.ts';

/** A board whose rows are encoded. */
export interface EncodedBoard {
  readonly kind: BoardKind;
  readonly stop: Stop;
  readonly generatedAt?: string | undefined;
  readonly rows: readonly Uint8Array[];
  readonly nextPageToken?: string | undefined;
}

/**
 * Writes a board as `JSON.stringify` does, in UTF-8. Stops and lines that are the same objects on several boards are
 * encoded once, and so are most rows, so most of a board is copied. Ids, references, tokens and times consist of ASCII
 * without quotation marks; other texts are escaped where they need it.
 */
export function writeBoard({ kind, stop, generatedAt, rows, nextPageToken }: EncodedBoard): Buffer {
  const begin = encodeStop(stop);
  const middle = `${generatedAt === undefined ? '' : `,"generatedAt":"${generatedAt}"`},"${kind}":[`;
  const end = nextPageToken === undefined ? ']}' : `],"nextPageToken":"${nextPageToken}"}`;
  let length = begin.length + middle.length + end.length + Math.max(0, rows.length - 1);
  for (const row of rows) length += row.length;
  const board = Buffer.allocUnsafe(length);
  board.set(begin);
  let at = begin.length + board.write(middle, begin.length, 'latin1');
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) board[at++] = COMMA;
    board.set(rows[i]!, at);
    at += rows[i]!.length;
  }
  board.write(end, at, 'latin1');
  return board;
}

// Presented objects never change.

/** The beginning of a board. */
const encodeStop = rememberPerObject((stop: Stop) => Buffer.from(`{"stop":${JSON.stringify(stop)}`));

const COMMA = 0x2c;

/** Encodes a row as `JSON.stringify` does, in UTF-8. */
export function encodeRow(row: Departure | Arrival): Buffer {
  return Buffer.from(writeRow(row));
}

const writeLine = rememberPerObject((line: Line) => JSON.stringify(line));

function writeRow(row: Departure | Arrival): string {
  const { id, journeyRef, line, stopName, platform, cancelled, serviceKind, notices, attributes } = row;
  const reference = journeyRef === undefined ? '' : `,"journeyRef":"${journeyRef}"`;
  const leading = `{"id":"${id}"${reference},"line":${writeLine(line)}`;
  const place =
    'departure' in row
      ? `,"direction":${quote(row.direction)},"stopName":${quote(stopName)},"departure":${writeTime(row.departure)}`
      : `,"origin":${quote(row.origin)},"stopName":${quote(stopName)},"arrival":${writeTime(row.arrival)}`;
  const kind = serviceKind === undefined ? '' : `,"serviceKind":"${serviceKind}"`;
  const lists = `,"notices":${writeList(notices)},"attributes":${writeList(attributes)}}`;
  return `${leading}${place},"platform":${writePlatform(platform)},"cancelled":${cancelled}${kind}${lists}`;
}

function writeTime({ scheduled, realtime, isRealtime, prognosis }: TimeInfo): string {
  const plan = scheduled === undefined ? '' : `"scheduled":"${scheduled}",`;
  const live = realtime === undefined ? '' : `"realtime":"${realtime}",`;
  return `{${plan}${live}"isRealtime":${isRealtime}${prognosis === undefined ? '' : `,"prognosis":"${prognosis}"`}}`;
}

function writePlatform({ text, scheduledText, changed }: Platform): string {
  const shown = text === undefined ? '' : `"text":${quote(text)},`;
  const planned = scheduledText === undefined ? '' : `"scheduledText":${quote(scheduledText)},`;
  return `{${shown}${planned}"changed":${changed}}`;
}

function writeList(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

/** Quotation marks, backslashes, control characters and surrogates, of which JSON escapes lone ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
