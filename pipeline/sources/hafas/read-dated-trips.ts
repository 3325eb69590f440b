import type { HafasCall, HafasDatedTrip, HafasMovement, HafasRemark } from './hafas-records.ts';
import type { HafasHint, HafasLine } from './load-profile.ts';
import {
  assertObject,
  isObject,
  listOf,
  type MgateObject,
  type MgatePosition,
  numberOf,
  objectOf,
  textOf,
  toPosition,
} from './mgate-answer.ts';
import { findOccupancy } from './occupancy.ts';
import { type HafasReferences, messageIdOf, messageOf, type Report } from './references.ts';

/** HAFAS writes degrees in millionths. */
const PER_DEGREE = 1_000_000;

/** A member such as `pos` or `icoCrd`; null if it is not a valid position. */
export function readPosition(coordinates: unknown): MgatePosition | null {
  const [lon, lat] = [objectOf(coordinates).x, objectOf(coordinates).y].map(numberOf);
  return lat == null || lon == null ? null : toPosition(lat / PER_DEGREE, lon / PER_DEGREE);
}

/**
 * Reads the calls of a trip; those that cannot be parsed are reported as `bad_call`. Places passed without stopping,
 * such as a border, are not calls.
 * @param date `YYYYMMDD` that the times are relative to
 */
function readCalls(
  list: readonly unknown[],
  date: unknown,
  place: string,
  references: HafasReferences,
  report: Report,
): HafasCall[] {
  const calls: HafasCall[] = [];
  for (const [index, raw] of list.entries()) {
    try {
      const call = parseCall(raw, date, references);
      if (call !== null) calls.push(call);
    } catch (error) {
      report('bad_call', `${place}[${index}]`, messageOf(error));
    }
  }
  return calls;
}

/**
 * @returns null for a place that is not a call
 * @throws RangeError, or any error of the library, for one that cannot be parsed
 */
function parseCall(raw: unknown, date: unknown, references: HafasReferences): HafasCall | null {
  assertObject(raw);
  const { profile } = references.context;
  const stop = references.findStop(raw.locX);
  const stopover = profile.parseStopover(references.context, { ...raw, location: stop }, date);
  if (stopover.passBy || !hasTime(raw)) return null;
  const occupancy = findOccupancy(raw, references);
  return { stop, stopover, raw, remarks: readRemarks(raw.msgL, references), occupancy };
}

function hasTime({ aTimeS, aTimeR, dTimeS, dTimeR }: MgateObject): boolean {
  return [aTimeS, aTimeR, dTimeS, dTimeR].some((time) => textOf(time) !== null);
}

/** Messages that a trip or a call refers to, and its own notes on disruptions. */
function readRemarks(list: unknown, references: HafasReferences): HafasRemark[] {
  const remarks: HafasRemark[] = [];
  for (const ref of listOf(list)) {
    if (!isObject(ref)) continue;
    const message = ref.type === 'HIM' ? references.findRaw('himL', ref.himX) : null;
    const id = message === null ? null : messageIdOf(message);
    if (id !== null) remarks.push({ kind: 'message', id, isGlobal: isGlobal(ref) });
    const hint = ref.type === 'REM' ? references.findHint(ref.remX) : null;
    if (hint !== null && isNews(hint)) remarks.push({ kind: 'hint', hint });
  }
  return remarks;
}

/** Shown above the whole answer, whichever trip it is attached to. */
function isGlobal({ tagL }: MgateObject): boolean {
  return listOf(tagL).some((tag) => typeof tag === 'string' && tag.includes('_GLB'));
}

/** Notes with a code are attributes such as bicycles, or repeat a cancellation that is in the trip itself. */
function isNews({ type, code, text, summary }: HafasHint): boolean {
  return type === 'status' && code === null && (textOf(text) !== null || textOf(summary) !== null);
}

/**
 * Reads an entry of a departure or arrival board: its call at the requested station and, where the endpoint sends them,
 * the calls before or after.
 * @throws any error of the library for an entry that cannot be parsed
 */
export function readBoardEntry(
  raw: MgateObject,
  type: 'DEP' | 'ARR',
  place: string,
  references: HafasReferences,
  report: Report,
): HafasDatedTrip {
  const { context } = references;
  const stbStop = findOwnStop(raw);
  const line = references.findLine(raw.prodX ?? stbStop.dProdX ?? stbStop.aProdX);
  const own = parseCall(stbStop, raw.date, references);
  if (own === null) throw new RangeError('it does not call at the station');

  const prepared = { ...raw, line, prodL: [], stbStop: { ...stbStop, location: own.stop } };
  const parse = type === 'DEP' ? context.profile.parseDeparture : context.profile.parseArrival;
  const { direction, provenance } = parse(context, prepared);
  const others = readCalls(
    listOf(raw.stopL).map((stop) => (isSameCall(stop, stbStop) ? stbStop : stop)),
    raw.date,
    `${place}.stopL`,
    references,
    report,
  );
  return {
    ...readRunFacts(raw, line, place, references),
    // The date of an entry is that of the board; only this member is that of the trip.
    startDate: textOf(raw.trainStartDate),
    isFromStart: false,
    direction: textOf(direction),
    originName: textOf(provenance),
    calls: others.some(({ raw }) => raw === stbStop) ? others : [own],
  };
}

/** The call at the station; the list of all calls, if sent, may contain the other event of the same call. */
function findOwnStop({ stbStop, stopL }: MgateObject): MgateObject {
  const own = objectOf(stbStop);
  return { ...objectOf(listOf(stopL).find((stop) => isSameCall(stop, own))), ...own };
}

function isSameCall(stop: unknown, own: MgateObject): boolean {
  return isObject(stop) && stop.idx === own.idx && stop.locX === own.locX;
}

/**
 * Reads a trip of a `JourneyDetails` result.
 * @throws RangeError when it has no date
 */
export function readTrip(raw: MgateObject, place: string, references: HafasReferences, report: Report): HafasDatedTrip {
  if (textOf(raw.date) === null) throw new RangeError('it has no date');
  const calls = readCalls(listOf(raw.stopL), raw.date, `${place}.stopL`, references, report);
  const first = calls[0];
  return {
    ...readRunFacts(raw, references.findLine(raw.prodX), place, references),
    startDate: textOf(raw.trainStartDate) ?? textOf(raw.date),
    isFromStart: first !== undefined && (first.raw.idx === 0 || first.stopover.plannedArrival === null),
    calls,
  };
}

/**
 * Reads a leg of a `TripSearch` result: the part of a trip that is travelled.
 * @returns null for a walk and the like
 */
export function readLeg(
  raw: MgateObject,
  date: unknown,
  place: string,
  references: HafasReferences,
  report: Report,
): HafasDatedTrip | null {
  if (raw.type !== 'JNY') return null;
  const journey = objectOf(raw.jny);
  const stops = listOf(journey.stopL);
  const ends = [raw.dep, raw.arr];
  const calls = readCalls(stops.length > 0 ? stops : ends, date, `${place}.stopL`, references, report);
  return {
    ...readRunFacts(journey, references.findLine(journey.prodX), place, references),
    startDate: textOf(journey.trainStartDate),
    isFromStart: false,
    calls,
  };
}

/**
 * Reads a vehicle of a `JourneyGeoPos` result, with the calls before and after it, the first and the last.
 * @throws RangeError when it has no position
 */
export function readMovement(
  raw: MgateObject,
  shownAt: { readonly date: unknown; readonly time: unknown },
  place: string,
  references: HafasReferences,
  report: Report,
): HafasMovement {
  const { context } = references;
  const position = readPosition(raw.pos);
  if (position === null) throw new RangeError('it has no position');
  const { profile } = context;
  const [date, time] = [textOf(shownAt.date), textOf(shownAt.time)];
  const line = references.findLine(raw.prodX);
  const { direction } = profile.parseMovement(context, { ...raw, line, stopL: [], ani: undefined });
  return {
    datedTrip: {
      ...readRunFacts(raw, line, place, references),
      direction: textOf(direction),
      startDate: textOf(raw.trainStartDate) ?? textOf(raw.date),
      isFromStart: true,
      calls: readCalls(listOf(raw.stopL), raw.date, `${place}.stopL`, references, report),
    },
    ...position,
    direction: readDirection(raw),
    at: date === null || time === null ? null : profile.parseDateTime(context, date, time, null),
  };
}

/** Current heading: that of the first animation frame, else the overall one; -1 is unknown. */
function readDirection(raw: MgateObject): number | null {
  const candidates = [listOf(objectOf(raw.ani).dirGeo)[0], raw.dirGeo].map(numberOf);
  return candidates.find((direction) => direction !== null && direction >= 0 && direction < 32) ?? null;
}

type RunFacts = Pick<
  HafasDatedTrip,
  'place' | 'jid' | 'line' | 'direction' | 'originName' | 'status' | 'isCancelled' | 'remarks'
>;

function readRunFacts(raw: MgateObject, line: HafasLine | null, place: string, references: HafasReferences): RunFacts {
  const { context } = references;
  const direction = textOf(raw.dirTxt);
  return {
    place,
    jid: textOf(raw.jid),
    line,
    direction: direction === null ? null : context.profile.parseStationName(context, direction),
    originName: null,
    status: textOf(raw.status),
    isCancelled: raw.isCncl === true,
    remarks: readRemarks(raw.msgL, references),
  };
}
