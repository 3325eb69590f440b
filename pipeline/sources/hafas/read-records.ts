import type { HafasDatedTrip, HafasMessage, HafasMovement, HafasRecords } from './hafas-records.ts';
import type { HafasLine, HafasPlace, HafasProfile } from './load-profile.ts';
import {
  assertObject,
  isObject,
  listOf,
  type MgateAnswer,
  type MgateObject,
  type MgateResult,
  objectOf,
  textOf,
} from './mgate-answer.ts';
import { readBoardEntry, readLeg, readMovement, readPosition, readTrip } from './read-dated-trips.ts';
import { createReferences, type HafasReferences, messageIdOf, messageOf, type Report } from './references.ts';

const MIDNIGHT = '000000';

/**
 * Reads a HIM message, with the lines, stops and times that it names.
 * @throws RangeError without an id; any error of the library for one that cannot be parsed
 */
function readMessage(raw: MgateObject, place: string, references: HafasReferences): HafasMessage {
  const { context } = references;
  const id = messageIdOf(raw);
  if (id === null) throw new RangeError('it has no id');
  const lists = findLists(raw, references);
  const edges = lists('edgeRefL', 'himMsgEdgeL');
  const events = lists('eventRefL', 'himMsgEventL');
  const icon = references.findIcon(raw.icoX);
  // The library would parse the same lists again and fail on an event without a date.
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

type FindList = (refs: string, list: string) => readonly MgateObject[];

function findLists(raw: MgateObject, references: HafasReferences): FindList {
  return (refs, list) =>
    listOf(raw[refs])
      .map((index) => references.findRaw(list, index))
      .filter((found) => found !== null);
}

function readWindows(events: readonly MgateObject[], { context }: HafasReferences): HafasMessage['windows'] | null {
  if (events.length === 0) return null;
  const read = (date: unknown, time: unknown): string | null =>
    textOf(date) === null ? null : context.profile.parseDateTime(context, date, textOf(time) ?? MIDNIGHT, null);
  return events.map(({ fDate, fTime, tDate, tTime }) => ({ from: read(fDate, fTime), to: read(tDate, tTime) }));
}

/** Messages refer to lines, and lines to messages. */
function readLines(raw: MgateObject, id: string, references: HafasReferences): HafasLine[] {
  const indexes = new Set([...listOf(raw.affProdRefL), ...references.listLinesNaming(id)]);
  return [...indexes].map((index) => references.findLine(index)).filter((line) => line !== null);
}

function readStops(ends: readonly MgateObject[], references: HafasReferences): HafasPlace[] {
  const indexes = new Set(ends.flatMap(({ fLocX, tLocX }) => [fLocX, tLocX]).filter((index) => index !== undefined));
  return [...indexes].map((index) => references.findStop(index)).filter((stop) => stop !== null);
}

/** Records and references collected while an answer is read. */
interface Reading {
  readonly datedTrips: HafasDatedTrip[];
  readonly movements: HafasMovement[];
  /** By id: boards repeat a message that concerns several trips. */
  readonly messages: Map<string, HafasMessage>;
  readonly report: Report;
  recordCount: number;
}

/** Reads one record; a record that throws is dropped as `bad_record`. */
type ReadOne = (place: string, read: () => void) => void;

/**
 * Reads all records of an answer: entries of boards, trips, legs of connections, vehicles, messages.
 * @returns the records and one problem for each that was refused or kept without a part: `bad_record`, `bad_call`,
 *   `bad_reference`, `dangling_reference`, `bad_header`, `unknown_method`, `refused_call`
 */
export function readHafasRecords(profile: HafasProfile, answer: MgateAnswer): HafasRecords {
  const problems: { code: string; place: string; detail: string }[] = [];
  const reading: Reading = {
    datedTrips: [],
    movements: [],
    messages: new Map(),
    report: (code, place, detail) => problems.push({ code, place, detail }),
    recordCount: 0,
  };
  for (const { method, code, text } of answer.refusals) reading.report('refused_call', method, text ?? code);
  const headers = answer.results.map((result) => readResult(profile, result, reading));
  const { datedTrips, movements, messages, recordCount } = reading;
  return {
    datedTrips,
    movements,
    messages: [...messages.values()],
    updatedAt: {
      realtimeSeconds: headers.map((header) => header.realtimeSeconds).find((time) => time !== null) ?? null,
      serverTime: headers.map((header) => header.serverTime).find((time) => time !== null) ?? null,
    },
    timetable: headers.map((header) => header.timetable).find((period) => period !== null) ?? null,
    recordCount,
    problems,
  };
}

interface Header {
  readonly realtimeSeconds: number | null;
  readonly serverTime: string | null;
  readonly timetable: HafasRecords['timetable'];
}

function readResult(profile: HafasProfile, { method, res }: MgateResult, reading: Reading): Header {
  const references = createReferences(profile, res, reading.report);
  const readOne: ReadOne = (place, read) => {
    reading.recordCount++;
    try {
      read();
    } catch (error) {
      reading.report('bad_record', place, messageOf(error));
    }
  };
  readMethod(method, res, references, reading, readOne);
  readReferencedMessages(res, references, reading, readOne);
  return readHeader(method, references, reading.report);
}

function readMethod(
  method: string,
  res: MgateObject,
  references: HafasReferences,
  { datedTrips, movements, messages, report }: Reading,
  readOne: ReadOne,
): void {
  const each = (list: string, read: (raw: MgateObject, place: string) => void) => {
    for (const [index, raw] of listOf(res[list]).entries()) {
      const place = `${method} ${list}[${index}]`;
      readOne(place, () => {
        assertObject(raw);
        read(raw, place);
      });
    }
  };
  switch (method) {
    case 'StationBoard':
      each('jnyL', (raw, place) => {
        datedTrips.push(readBoardEntry(raw, res.type === 'ARR' ? 'ARR' : 'DEP', place, references, report));
      });
      return;
    case 'JourneyDetails':
      if (res.journey === undefined) return;
      readOne(method, () => {
        assertObject(res.journey);
        datedTrips.push(readTrip(res.journey, method, references, report));
      });
      return;
    case 'JourneyGeoPos':
      each('jnyL', (raw, place) => {
        const shownAt = { date: res.date, time: res.time };
        movements.push(readMovement(raw, shownAt, place, references, report));
      });
      return;
    case 'HimSearch':
      each('msgL', (raw, place) => {
        const message = readMessage(raw, place, references);
        messages.set(message.warning.id, message);
      });
      return;
    case 'TripSearch':
      readConnections(res, references, datedTrips, report, readOne);
      return;
    case 'ServerInfo':
      return;
    default:
      report('unknown_method', method, 'it is ignored');
  }
}

function readConnections(
  res: MgateObject,
  references: HafasReferences,
  datedTrips: HafasDatedTrip[],
  report: Report,
  readOne: ReadOne,
): void {
  for (const [index, connection] of listOf(res.outConL).entries()) {
    const { date, secL } = objectOf(connection);
    for (const [leg, raw] of listOf(secL).entries()) {
      // Walks are not records.
      if (isObject(raw) && raw.type !== 'JNY') continue;
      const place = `TripSearch outConL[${index}].secL[${leg}]`;
      readOne(place, () => {
        assertObject(raw);
        const datedTrip = readLeg(raw, date, place, references, report);
        if (datedTrip !== null) datedTrips.push(datedTrip);
      });
    }
  }
}

/** Boards and trips include the messages that they refer to; so do the searches of some endpoints. */
function readReferencedMessages(
  res: MgateObject,
  references: HafasReferences,
  { messages }: Reading,
  readOne: ReadOne,
): void {
  for (const [index, raw] of listOf(objectOf(res.common).himL).entries()) {
    const place = `common.himL[${index}]`;
    readOne(place, () => {
      assertObject(raw);
      const message = readMessage(raw, place, references);
      messages.set(message.warning.id, message);
    });
  }
}

function readHeader(method: string, { context }: HafasReferences, report: Report): Header {
  const { planrtTS, sD, sT, fpB, fpE } = context.res;
  // Other types are not converted to text: a deeply nested list could overflow the stack.
  const isPlain = typeof planrtTS === 'string' || typeof planrtTS === 'number';
  const seconds = planrtTS === undefined || planrtTS === '0' ? null : isPlain ? Number(planrtTS) : Number.NaN;
  if (seconds !== null && !(Number.isSafeInteger(seconds) && seconds > 0)) {
    report('bad_header', method, `planrtTS "${isPlain ? planrtTS : typeof planrtTS}" is not a time`);
  }
  const [begin, end] = [textOf(fpB), textOf(fpE)];
  return {
    realtimeSeconds: seconds !== null && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null,
    serverTime: readServerTime(sD, sT, context, method, report),
    timetable: begin === null || end === null ? null : { begin, end },
  };
}

function readServerTime(
  date: unknown,
  time: unknown,
  context: HafasReferences['context'],
  method: string,
  report: Report,
): string | null {
  if (date === undefined || time === undefined) return null;
  try {
    return context.profile.parseDateTime(context, date, time, null);
  } catch (error) {
    report('bad_header', method, messageOf(error));
    return null;
  }
}
