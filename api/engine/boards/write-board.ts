import { rememberPerObject } from '../../../pipeline/model/recent-map.ts';
import type {
  Arrival,
  ArrivalBoard,
  Board,
  Departure,
  Line,
  Platform,
  Stop,
  TimeInfo,
} from '../../contract/definitions.ts';

/**
 * Writes a board as `JSON.stringify` does, in UTF-8. Stops, lines and rows that are the same objects on several boards
 * are encoded once, so most of a board is copied. Ids, references, tokens and times consist of ASCII without quotation
 * marks; other texts are escaped where they need it.
 */
export function writeBoard(board: Board | ArrivalBoard): Buffer {
  const [name, rows] = 'departures' in board ? ['departures', board.departures] : ['arrivals', board.arrivals];
  const generatedAt = board.generatedAt === undefined ? '' : `,"generatedAt":"${board.generatedAt}"`;
  const token = 'nextPageToken' in board ? board.nextPageToken : undefined;
  const beforeRows = `${generatedAt},"${name}":[`;
  const end = token === undefined ? ']}' : `],"nextPageToken":"${token}"}`;
  const parts = (rows as readonly (Departure | Arrival)[]).map(encodeRow);
  if (parts.length > 0) parts[0] = parts[0]!.subarray(COMMA.length);
  return Buffer.concat([encodeStop(board.stop), Buffer.from(beforeRows), ...parts, Buffer.from(end)]);
}

// Presented objects never change.

/** The beginning of a board. */
const encodeStop = rememberPerObject((stop: Stop) => Buffer.from(`{"stop":${JSON.stringify(stop)}`));

const COMMA = ',';

/** A row with the comma before it. */
const encodeRow = rememberPerObject((row: Departure | Arrival) => Buffer.from(COMMA + writeRow(row)));

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
