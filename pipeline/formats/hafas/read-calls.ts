import type { HafasHint } from './hafas-profile.ts';
import type { HafasCall, HafasRemark } from './hafas-records.ts';
import { assertObject, isObject, type JsonObject, listOf, textOf } from './mgate-json.ts';
import { type HafasReferences, messageIdOf, messageOf, type Report } from './references.ts';

/**
 * Reads the calls of a trip, each by itself: one that cannot be read is reported as `bad_call`. What a vehicle passes
 * without a stop, such as a border, is no call.
 * @param date `YYYYMMDD` that the times are counted from
 */
export function readCalls(
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
 * @returns null for what is no call
 * @throws RangeError, or whatever the library throws, at one that cannot be read
 */
export function parseCall(raw: unknown, date: unknown, references: HafasReferences): HafasCall | null {
  assertObject(raw);
  const { profile } = references.context;
  const stop = references.findStop(raw.locX);
  const stopover = profile.parseStopover(references.context, { ...raw, location: stop }, date);
  if (stopover.passBy || !hasTime(raw)) return null;
  return { stop, stopover, raw, remarks: readRemarks(raw.msgL, references) };
}

function hasTime({ aTimeS, aTimeR, dTimeS, dTimeR }: JsonObject): boolean {
  return [aTimeS, aTimeR, dTimeS, dTimeR].some((time) => textOf(time) !== null);
}

/** The news that a trip or a call points to: messages, and notes of its own on what is out of the ordinary. */
export function readRemarks(list: unknown, references: HafasReferences): HafasRemark[] {
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

/** Shown above a whole answer, whatever trip it hangs on. */
function isGlobal({ tagL }: JsonObject): boolean {
  return listOf(tagL).some((tag) => typeof tag === 'string' && tag.includes('_GLB'));
}

/** Notes with a code are attributes such as bicycles, or repeat a cancellation that the members of the trip tell. */
function isNews({ type, code, text, summary }: HafasHint): boolean {
  return type === 'status' && code === null && (textOf(text) !== null || textOf(summary) !== null);
}
