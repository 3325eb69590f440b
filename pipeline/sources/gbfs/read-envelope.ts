import { type RecordProblem, UnreadableAnswer } from '../../model/problem.ts';
import { type Instant, parseTimestamp } from '../../model/service-time.ts';
import {
  findNumber,
  findText,
  getObject,
  isJsonObject,
  type JsonObject,
  listItems,
  parseJson,
} from '../json-answer.ts';

/** The envelope of every file. */
export interface Envelope {
  readonly data: JsonObject;
  /** 2 or 3. */
  readonly major: 2 | 3;
  /** `null` if not published. */
  readonly publishedAt: Instant | null;
  /** Seconds for which the file stays valid; 0 if it may have changed already. */
  readonly ttlSeconds: number;
}

/**
 * Reads the envelope `{last_updated, ttl, version, data}`.
 * @throws UnreadableAnswer `truncated`, `not_json`, `foreign_format`, `unsupported_version`
 * @see GBFS 2.3 and 3.0, "Output Format"
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!isJsonObject(answer) || !isJsonObject(answer.data)) {
    throw new UnreadableAnswer('foreign_format', 'JSON without the member "data" of GBFS');
  }
  return {
    data: answer.data,
    major: readMajor(findText(answer, 'version')),
    publishedAt: readInstant(answer.last_updated),
    ttlSeconds: Math.max(0, findNumber(answer, 'ttl') ?? 0),
  };
}

/** Some files of version 1 have no version; they are read as version 2, which only adds members. */
function readMajor(version: string | undefined): 2 | 3 {
  const [major] = (version ?? '2').split('.');
  if (major === '1' || major === '2') return 2;
  if (major === '3') return 3;
  throw new UnreadableAnswer('unsupported_version', `GBFS ${version}; versions 2 and 3 can be read`);
}

/** Seconds since 1970 in version 2, text in version 3. @returns `null` for anything else */
export function readInstant(value: unknown): Instant | null {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value as Instant;
  return typeof value === 'string' ? parseTimestamp(value) : null;
}

// ---- Values ----------------------------------------------------------------------------------------------------------

export type ReportProblem = (code: string, place: string, detail: string) => void;

export interface ReadContext {
  readonly report: ReportProblem;
  /** Preferred language of texts. */
  readonly language: string;
  /** Hosts from which files may be read. */
  readonly hosts: readonly string[];
  /** Whether the auto-discovery file is read over https; then all files must be. */
  readonly isSecure: boolean;
}

export function openProblems(source: string, part: string): { problems: RecordProblem[]; report: ReportProblem } {
  const problems: RecordProblem[] = [];
  return {
    problems,
    report: (code, place, detail) => problems.push({ code, source, place: `${part} ${place}`, detail }),
  };
}

/** The text of version 2; in version 3 the one in the preferred language, else the first. */
export function readLocalised(object: JsonObject, name: string, language: string): string | undefined {
  const value = object[name];
  if (!Array.isArray(value)) return findText(object, name);
  const texts = value.filter(isJsonObject);
  const preferred = texts.find((one) => isLanguage(one.language, language)) ?? texts[0];
  return preferred && findText(preferred, 'text');
}

/** `de-AT` matches `de`. */
export function isLanguage(tag: unknown, language: string): boolean {
  return typeof tag === 'string' && tag.toLowerCase().split('-')[0] === language.toLowerCase().split('-')[0];
}

/** A whole number from 0; otherwise `negative`, or `null` if absent or not a number. */
export function readCount(object: JsonObject, name: string): number | 'negative' | null {
  const value = findNumber(object, name);
  if (value === undefined) return null;
  return value < 0 ? 'negative' : Math.floor(value);
}

/** Version 1 writes 1 and 0. @returns `null` if absent */
export function readFlag(object: JsonObject, name: string): boolean | null {
  const value = object[name];
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
}

/** The web address for renting, else that of an app if it is a web address, too. */
export function readRentalUrl(object: JsonObject): string | null {
  const addresses = getObject(object, 'rental_uris');
  const all = ['web', 'android', 'ios'].map((name) => findText(addresses, name));
  return all.find((one) => one !== undefined && /^https?:/i.test(one) && URL.canParse(one)) ?? null;
}

/** Coordinates; `null` if missing, out of range, or 0/0, which publishers write for unknown. */
export function readPosition(object: JsonObject): { readonly lat: number; readonly lon: number } | null {
  const [lat, lon] = [findNumber(object, 'lat'), findNumber(object, 'lon')];
  if (lat === undefined || lon === undefined || Math.abs(lat) > 90 || Math.abs(lon) > 180) return null;
  return lat === 0 && lon === 0 ? null : { lat, lon };
}

/** The items of a list, in order; items that are not objects become `null`. */
export function listObjects(data: JsonObject, name: string): readonly (JsonObject | null)[] {
  return listItems(data, name).map((item) => (isJsonObject(item) ? item : null));
}
