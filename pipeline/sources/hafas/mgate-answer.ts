import { UnreadableAnswer } from '../../model/problem.ts';

/** Null for an invalid position and for 0, 0, which some endpoints send for unknown positions. */
export function toPosition(lat: unknown, lon: unknown): MgatePosition | null {
  const [north, east] = [numberOf(lat), numberOf(lon)];
  if (north === null || east === null || (north === 0 && east === 0)) return null;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { lat: north, lon: east } : null;
}

/** Degrees. */
export interface MgatePosition {
  readonly lat: number;
  readonly lon: number;
}

/** A parsed JSON object, its members unchecked. */
export type MgateObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is MgateObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one for any other value. */
export function objectOf(value: unknown): MgateObject {
  return isObject(value) ? value : {};
}

/** The list, or an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A trimmed, non-empty text; else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** @throws TypeError */
export function assertObject(value: unknown): asserts value is MgateObject {
  if (!isObject(value)) throw new TypeError('it is not an object');
}

/** Result of one call of a request. */
export interface MgateResult {
  /** E.g. `StationBoard`. */
  readonly method: string;
  /** Empty when nothing was found. */
  readonly res: MgateObject;
}

/** A call that was refused while others succeeded, or whose object is unknown upstream. */
interface MgateRefusal {
  readonly method: string;
  /** HAFAS's own, e.g. `LOCATION`. */
  readonly code: string;
  readonly text: string | null;
}

export interface MgateAnswer {
  readonly results: readonly MgateResult[];
  readonly refusals: readonly MgateRefusal[];
}

/**
 * HAFAS codes for an empty result, as opposed to an error.
 * @see hafas-client, lib/errors.js
 */
const NOTHING_FOUND = ['NO_MATCH', 'SQ005', 'H890', 'H891', 'H9220', 'H9240'];

/** Codes for an unknown stop: an empty result, but reported, because the configured number needs checking. */
const UNKNOWN_PLACE = ['LOCATION', 'H730'];

/**
 * Parses the envelope of an answer of `mgate.exe`.
 * @returns a result for each answered call; an empty result has an empty `res`
 * @throws UnreadableAnswer `truncated`, `html`, `not_json`; `foreign_format` for other JSON than an mgate answer;
 *   `upstream_error` when HAFAS refused the request or everything in it
 * @see hafas-client, docs/hafas-mgate-api.md
 */
export function readMgateAnswer(bytes: Uint8Array): MgateAnswer {
  const root = readJson(new TextDecoder().decode(bytes));
  if (!isObject(root) || !('svcResL' in root || 'err' in root)) {
    throw new UnreadableAnswer('foreign_format', 'JSON without svcResL is not a response of mgate.exe');
  }
  if (root.err !== undefined && root.err !== 'OK') throw toUpstreamError(toRefusal(root, 'request'));
  if (!Array.isArray(root.svcResL)) throw new UnreadableAnswer('foreign_format', 'svcResL is not a list');

  const results: MgateResult[] = [];
  const refusals: MgateRefusal[] = [];
  for (const one of root.svcResL as readonly unknown[]) {
    const method = isObject(one) ? (textOf(one.meth) ?? 'unknown') : 'unknown';
    if (isObject(one) && one.err === 'OK' && isObject(one.res)) {
      results.push({ method, res: one.res });
      continue;
    }
    const refusal = toRefusal(isObject(one) ? one : {}, method);
    if (isNothing(refusal)) results.push({ method, res: {} });
    if (!NOTHING_FOUND.includes(refusal.code)) refusals.push(refusal);
  }
  if (results.length === 0) throw toUpstreamError(refusals[0] ?? toRefusal({}, 'request'));
  return { results, refusals };
}

function isNothing({ code }: MgateRefusal): boolean {
  return NOTHING_FOUND.includes(code) || UNKNOWN_PLACE.includes(code);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const start = text.trimStart().slice(0, 1);
    const detail = error instanceof Error ? error.message : String(error);
    // Text that begins like an answer but cannot be parsed is truncated or damaged; both are handled alike.
    if (start === '' || start === '{') throw new UnreadableAnswer('truncated', detail);
    throw new UnreadableAnswer(start === '<' ? 'html' : 'not_json', detail);
  }
}

function toRefusal(refusal: MgateObject, method: string): MgateRefusal {
  // An answer with code OK but without a result is treated as an error.
  const code = textOf(refusal.err);
  return {
    method,
    code: code === null || code === 'OK' ? 'NO_RESULT' : code,
    text: textOf(refusal.errTxtOut) ?? textOf(refusal.errTxt),
  };
}

function toUpstreamError({ method, code, text }: MgateRefusal): UnreadableAnswer {
  return new UnreadableAnswer('upstream_error', `${method}: ${code}${text === null ? '' : ` (${text})`}`);
}
