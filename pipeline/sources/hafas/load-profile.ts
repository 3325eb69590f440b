import {
  formatTimestamp,
  type Instant,
  isTimeZone,
  parseServiceDate,
  toEpochDay,
  zoneOffsetSeconds,
} from '../../model/service-time.ts';
import type { MgatePosition } from './mgate-answer.ts';
import { isObject, type MgateObject, textOf } from './mgate-answer.ts';

/** A kind of vehicle in the endpoint's classification; requests and answers encode it as bits. */
export interface HafasProductClass {
  /** E.g. `regional-bus`; the endpoint's own. */
  readonly id: string;
  /** `train`, `bus`, `watercraft`, `gondola`, `taxi`. */
  readonly mode: string | null;
  readonly bitmasks: readonly number[];
  /** Requested by default. */
  readonly default: boolean;
  readonly name?: string;
  readonly short?: string;
}

/** Data by which endpoints differ. */
export interface HafasProfileData {
  readonly endpoint: string;
  readonly timezone: string;
  readonly locale: string;
  readonly defaultLanguage?: string;
  /** Version of the protocol, e.g. `1.45`. */
  readonly ver?: string;
  readonly ext?: string;
  /** Client identification, checked by the endpoint. */
  readonly client: MgateObject;
  /** The key. */
  readonly auth: MgateObject;
  /** Hexadecimal digits, or bytes; for endpoints that require signed requests. */
  readonly salt?: string | Uint8Array | null;
  readonly addChecksum?: boolean;
  readonly addMicMac?: boolean;
  readonly products: readonly HafasProductClass[];
  /** The endpoint returns the onward calls with each departure. */
  readonly departuresGetPasslist?: boolean;
}

/** A profile of hafas-client: the endpoint's data and the library's pure functions for it. */
export interface HafasProfile extends HafasProfileData, HafasFunctions {}

export interface HafasContext {
  readonly profile: HafasProfile;
  readonly opt: MgateObject;
  /** Resolved members of `res.common`; only those that the called parse functions read. */
  readonly common: MgateObject;
  /** The raw result. */
  readonly res: MgateObject;
}

interface HafasFunctions {
  parseDateTime(ctx: HafasContext, date: unknown, time: unknown, offsetMinutes?: number | null): string;
  parseDeparture(ctx: HafasContext, raw: MgateObject): HafasBoardEntry;
  parseArrival(ctx: HafasContext, raw: MgateObject): HafasBoardEntry;
  parseStopover(ctx: HafasContext, raw: MgateObject, date: unknown): HafasStopover;
  parseMovement(ctx: HafasContext, raw: MgateObject): HafasPosition;
  parseLine(ctx: HafasContext, raw: MgateObject): HafasLine;
  parseOperator(ctx: HafasContext, raw: MgateObject): { readonly name: string } | null;
  parseLocation(ctx: HafasContext, raw: MgateObject): HafasLocation;
  parseWarning(ctx: HafasContext, raw: MgateObject): HafasWarning;
  parseHint(ctx: HafasContext, raw: MgateObject): HafasHint | null;
  parseIcon(ctx: HafasContext, raw: MgateObject): { readonly type: unknown } | null;
  parseStationName(ctx: HafasContext, name: string): string;

  formatStation(id: string): MgateObject;
  formatStationBoardReq(ctx: FormatContext, station: MgateObject, type: 'DEP' | 'ARR'): MgateObject;
  formatTripReq(ctx: FormatContext, id: string): MgateObject;
  formatRadarReq(ctx: FormatContext, north: number, west: number, south: number, east: number): MgateObject;
  formatRemarksReq(ctx: FormatContext): MgateObject;
  transformReqBody(ctx: FormatContext, body: MgateObject): MgateObject;
}

export type FormatContext = Pick<HafasContext, 'profile' | 'opt'>;

// ---- What the parse functions give, as far as it is used. Times are ISO 8601. -----------------------------

interface HafasBoardEntry {
  /** Of a departure. */
  readonly direction: unknown;
  /** Of an arrival: its origin. */
  readonly provenance: unknown;
}

export interface HafasStopover {
  readonly plannedArrival: string | null;
  readonly plannedDeparture: string | null;
  /** The planned time if there is no forecast; null if cancelled. */
  readonly arrival: string | null;
  readonly departure: string | null;
  readonly plannedArrivalPlatform: unknown;
  readonly plannedDeparturePlatform: unknown;
  /** The vehicle passes without a stop. */
  readonly passBy?: boolean;
}

interface HafasPosition {
  readonly direction: unknown;
  readonly location: { readonly latitude: number; readonly longitude: number } | null;
}

export interface HafasLine {
  readonly name: string | null;
  /** Id of one of the profile's products. */
  readonly product?: string | null;
  readonly mode?: string | null;
  /** Category as riders know it, e.g. `REX`. */
  readonly productName?: string;
  readonly operator?: { readonly name: string } | null;
}

/** Result of `parseLocation`; its members are of whatever type the endpoint sent. */
export interface HafasLocation {
  readonly id?: unknown;
  readonly name?: unknown;
  /** Of a stop or a station. */
  readonly location?: { readonly latitude?: unknown; readonly longitude?: unknown } | null;
  /** Of an address or a point of interest. */
  readonly latitude?: unknown;
  readonly longitude?: unknown;
  readonly ids?: { readonly ifopt?: unknown; readonly dhid?: unknown };
}

/** A stop, checked. */
export interface HafasPlace {
  /** The endpoint's number. */
  readonly id: string | null;
  readonly name: string | null;
  readonly position: MgatePosition | null;
  /** IFOPT id, where the endpoint sends it. */
  readonly ifopt: string | null;
}

export interface HafasWarning {
  readonly id: string | null;
  readonly icon: { readonly type: unknown } | null;
  /** These four are of whatever type the endpoint sent. */
  readonly priority?: unknown;
  readonly company?: unknown;
  readonly category?: unknown;
  readonly categories?: readonly unknown[];
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}

export interface HafasHint {
  readonly type: string;
  readonly code: string | null;
  readonly text: string | null;
  readonly summary?: string;
}

/**
 * Lists what makes a profile unusable.
 * @returns one sentence per defect; none contains a key
 */
export function checkProfile(profile: Partial<HafasProfile>): string[] {
  const wrong: string[] = [];
  const mustBe = (isRight: boolean, name: string, what: string) => {
    if (!isRight) wrong.push(`profile.${name} must be ${what}`);
  };
  mustBe(isHttpAddress(profile.endpoint), 'endpoint', 'an http or https address');
  mustBe(isKnownZone(profile.timezone), 'timezone', 'an IANA time zone');
  mustBe(textOf(profile.locale) !== null, 'locale', 'a language tag');
  mustBe(isObject(profile.client), 'client', 'an object that names the client');
  mustBe(isObject(profile.auth), 'auth', "an object with the operator's key");
  mustBe(isProductList(profile.products), 'products', 'a list of {id, bitmasks, default}');
  if (profile.addChecksum || profile.addMicMac) {
    mustBe(isSalt(profile.salt), 'salt', 'hexadecimal digits where requests are signed');
  }
  return wrong;
}

function isHttpAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isKnownZone(value: unknown): boolean {
  return typeof value === 'string' && isTimeZone(value);
}

function isSalt(value: unknown): boolean {
  return value instanceof Uint8Array || isHexadecimal(value);
}

function isHexadecimal(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[0-9a-f]{2})+$/i.test(value);
}

function isProductList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (product: unknown) =>
      isObject(product) &&
      textOf(product.id) !== null &&
      typeof product.default === 'boolean' &&
      Array.isArray(product.bitmasks) &&
      product.bitmasks.every(Number.isSafeInteger),
  );
}

// Replaces hafas-client's functions of the same names: the project converts time zones in one place only, and much
// faster.

interface Clock {
  readonly timezone: string;
}

/** Days after the date, hours, minutes, seconds. */
const TIME = /^(\d{2})?([01]\d|2[0-3])([0-5]\d)([0-5]\d)$/;

/**
 * Parses a date `YYYYMMDD` with a time `HHMMSS` or `DDHHMMSS`.
 * @param offsetMinutes offset from UTC; null: that of the endpoint's zone, in a repeated hour the later one
 * @param isTimestamp returns milliseconds since 1970 instead of text
 * @returns ISO 8601 in UTC
 * @throws TypeError unless both are texts; RangeError for an invalid date or time
 */
export function parseDateTime(
  { profile }: { readonly profile: Clock },
  date: unknown,
  time: unknown,
  offsetMinutes: number | null = null,
  isTimestamp = false,
): string | number {
  if (typeof date !== 'string' || typeof time !== 'string') throw new TypeError('date or time is not a text');
  const day = parseServiceDate(date);
  const [isTime, days = '0', hours, minutes, seconds] = TIME.exec(time) ?? [];
  if (day === null || isTime === undefined) throw new RangeError(`"${date}", "${time}" is not a date with a time`);
  const local =
    (toEpochDay(day) + Number(days)) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const milliseconds = (local - offsetOf(profile, local, offsetMinutes)) * 1000;
  return isTimestamp ? milliseconds : new Date(milliseconds).toISOString();
}

function offsetOf({ timezone }: Clock, local: number, offsetMinutes: number | null): number {
  if (offsetMinutes !== null) {
    if (!Number.isSafeInteger(offsetMinutes)) throw new RangeError(`"${offsetMinutes}" is not an offset`);
    return offsetMinutes * 60;
  }
  // Two steps are exact: the first may use the offset from the other side of a clock change.
  const guess = local - zoneOffsetSeconds(timezone, local as Instant);
  return zoneOffsetSeconds(timezone, guess as Instant);
}

/** `YYYYMMDD` in the endpoint's time zone. */
export function formatDate({ timezone }: Clock, when: Date): string {
  return formatTimestamp(toInstant(when), timezone).slice(0, 10).replaceAll('-', '');
}

/** `HHMMSS` in the endpoint's time zone. */
export function formatTime({ timezone }: Clock, when: Date): string {
  return formatTimestamp(toInstant(when), timezone).slice(11, 19).replaceAll(':', '');
}

function toInstant(when: Date): Instant {
  return Math.floor(when.getTime() / 1000) as Instant;
}

/**
 * The pure functions of hafas-client, by their name in a profile. Its `index.js` and `lib/` are never loaded: they
 * include a network client, which fails when a proxy is set in the environment.
 */
const PURE_PARTS: Readonly<Record<string, string>> = {
  parseArrival: 'parse/arrival.js',
  parseDeparture: 'parse/departure.js',
  parseHint: 'parse/hint.js',
  parseIcon: 'parse/icon.js',
  parseLine: 'parse/line.js',
  parseLocation: 'parse/location.js',
  parseMovement: 'parse/movement.js',
  parseOperator: 'parse/operator.js',
  parsePlatform: 'parse/platform.js',
  parseProductsBitmask: 'parse/products-bitmask.js',
  parsePrognosisType: 'parse/prognosis-type.js',
  parseStopover: 'parse/stopover.js',
  parseWarning: 'parse/warning.js',
  parseWhen: 'parse/when.js',
  formatCoord: 'format/coord.js',
  formatProductsFilter: 'format/products-filter.js',
  formatRadarReq: 'format/radar-req.js',
  formatRectangle: 'format/rectangle.js',
  formatRemarksReq: 'format/remarks-req.js',
  formatStation: 'format/station.js',
  formatStationBoardReq: 'format/station-board-req.js',
  formatTripReq: 'format/trip-req.js',
};

/** Functions that the library exports under another name than in profiles. */
const EXPORTED_AS: Readonly<Record<string, string>> = { parseProductsBitmask: 'parseBitmask' };

const PROFILE_NAME = /^[a-z][a-z0-9-]*$/;

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads hafas-client's functions and applies an endpoint's data. The first load takes a fifth of a second and 13 MB, so
 * it happens only if a source needs it.
 * @param base name of a profile of hafas-client to inherit data and dialect from; null: none
 * @param data overrides the base's
 * @returns a profile that may be incomplete, see `checkProfile`
 * @throws RangeError when hafas-client has no profile of that name
 */
export async function loadHafasProfile(base: string | null, data: Partial<HafasProfileData>): Promise<HafasProfile> {
  const parts = await Promise.all(Object.entries(PURE_PARTS).map(loadFunction));
  const profile: Exports = {
    ...Object.fromEntries(parts),
    parseDateTime,
    formatDate,
    formatTime,
    parseStationName: (_ctx: unknown, name: string) => name,
    transformReqBody: (_ctx: unknown, body: unknown) => body,
    // Geometries of messages are not used, and some endpoints refuse the member.
    remarksGetPolyline: false,
    ...(base === null ? {} : await loadNamedProfile(base)),
    ...data,
  };
  return profile as unknown as HafasProfile;
}

/** A library version without the function fails here, at start, and not while an answer is read. */
async function loadFunction([name, path]: readonly [string, string]): Promise<readonly [string, unknown]> {
  const loaded = (await loadPart(path))[EXPORTED_AS[name] ?? name];
  if (typeof loaded !== 'function') throw new TypeError(`hafas-client has no ${name}`);
  return [name, loaded];
}

async function loadNamedProfile(name: string): Promise<object> {
  // The name becomes part of a path.
  if (!PROFILE_NAME.test(name)) throw new RangeError(`"${name}" cannot name a profile of hafas-client`);
  try {
    return (await loadPart(`p/${name}/index.js`)).profile as object;
  } catch (error) {
    throw new RangeError(`hafas-client has no profile "${name}"`, { cause: error });
  }
}

async function loadPart(path: string): Promise<Exports> {
  return import(`hafas-client/${path}`);
}
