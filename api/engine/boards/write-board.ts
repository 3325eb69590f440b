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
  const stop = encodeStop(board.stop);
  const middle = `${generatedAt},"${name}":[`;
  const end = token === undefined ? ']}' : `],"nextPageToken":"${token}"}`;
  const parts = (rows as readonly (Departure | Arrival)[]).map(encodeRow);
  // Every row ends with a comma, and the end takes the place of the last one.
  const extra = parts.length > 0 ? 1 : 0;
  let length = stop.length + middle.length + end.length - extra;
  for (const part of parts) length += part.length;
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(stop);
  let at = stop.length;
  at += bytes.write(middle, at, 'latin1');
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  bytes.write(end, at - extra, 'latin1');
  return bytes;
}

// Caches of facts: what is presented once never changes.
const stopBytes = new WeakMap<Stop, Buffer>();
const rowBytes = new WeakMap<Departure | Arrival, Buffer>();
const lineTexts = new WeakMap<Line, string>();

/** The begin of a board. */
function encodeStop(stop: Stop): Buffer {
  const known = stopBytes.get(stop);
  if (known) return known;
  const bytes = Buffer.from(`{"stop":${JSON.stringify(stop)}`);
  stopBytes.set(stop, bytes);
  return bytes;
}

function encodeRow(row: Departure | Arrival): Buffer {
  const known = rowBytes.get(row);
  if (known) return known;
  const bytes = Buffer.from(`${writeRow(row)},`);
  rowBytes.set(row, bytes);
  return bytes;
}

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

function writeLine(line: Line): string {
  const known = lineTexts.get(line);
  if (known !== undefined) return known;
  const text = JSON.stringify(line);
  lineTexts.set(line, text);
  return text;
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
