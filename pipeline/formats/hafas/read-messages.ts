import type { HafasLine, HafasPlace } from './hafas-profile.ts';
import type { HafasMessage } from './hafas-records.ts';
import { type JsonObject, listOf, textOf } from './mgate-json.ts';
import { readPosition } from './mgate-position.ts';
import { type HafasReferences, messageIdOf } from './references.ts';

const MIDNIGHT = '000000';

/**
 * A message of HIM, with the lines, stops and times that it names.
 * @throws RangeError when it has no id; whatever the library throws at one that cannot be read
 */
export function readMessage(raw: JsonObject, place: string, references: HafasReferences): HafasMessage {
  const { context } = references;
  const id = messageIdOf(raw);
  if (id === null) throw new RangeError('it has no id');
  const lists = findLists(raw, references);
  const edges = lists('edgeRefL', 'himMsgEdgeL');
  const events = lists('eventRefL', 'himMsgEventL');
  const icon = references.findIcon(raw.icoX);
  // The library would read the same lists once more, and fail at an event without a date.
  const prepared = { ...raw, icon, edgeRefL: undefined, eventRefL: undefined, affProdRefL: undefined };
  const warning = { ...context.profile.parseWarning(context, prepared), id };
  return {
    place,
    warning,
    title: textOf(raw.head),
    text: textOf(raw.text) ?? textOf(raw.lead),
    windows: readWindows(events, references) ?? [{ from: warning.validFrom ?? null, to: warning.validUntil ?? null }],
    lines: readLines(raw, id, references),
    stops: readStops([raw, ...edges], references),
    pin: edges.map(({ icoCrd }) => readPosition(icoCrd)).find((pin) => pin !== null) ?? null,
  };
}

type FindList = (refs: string, list: string) => readonly JsonObject[];

function findLists(raw: JsonObject, references: HafasReferences): FindList {
  return (refs, list) =>
    listOf(raw[refs])
      .map((index) => references.findRaw(list, index))
      .filter((found) => found !== null);
}

function readWindows(events: readonly JsonObject[], { context }: HafasReferences): HafasMessage['windows'] | null {
  if (events.length === 0) return null;
  const read = (date: unknown, time: unknown): string | null =>
    textOf(date) === null ? null : context.profile.parseDateTime(context, date, textOf(time) ?? MIDNIGHT, null);
  return events.map(({ fDate, fTime, tDate, tTime }) => ({ from: read(fDate, fTime), to: read(tDate, tTime) }));
}

/** Messages name lines, and lines name messages. */
function readLines(raw: JsonObject, id: string, references: HafasReferences): HafasLine[] {
  const indexes = new Set([...listOf(raw.affProdRefL), ...references.listLinesNaming(id)]);
  return [...indexes].map((index) => references.findLine(index)).filter((line) => line !== null);
}

function readStops(ends: readonly JsonObject[], references: HafasReferences): HafasPlace[] {
  const indexes = new Set(ends.flatMap(({ fLocX, tLocX }) => [fLocX, tLocX]).filter((index) => index !== undefined));
  return [...indexes].map((index) => references.findStop(index)).filter((stop) => stop !== null);
}
