import type { JsonObject } from './mgate-json.ts';
import type { MgatePosition } from './mgate-position.ts';

/** A kind of vehicle as an endpoint sorts them; the bits tell it in requests and answers. */
export interface HafasProductClass {
  /** E.g. `regional-bus`; the endpoint's own. */
  readonly id: string;
  /** `train`, `bus`, `watercraft`, `gondola`, `taxi`. */
  readonly mode: string | null;
  readonly bitmasks: readonly number[];
  /** Asked for when nothing else is said. */
  readonly default: boolean;
  readonly name?: string;
  readonly short?: string;
}

/** What distinguishes one endpoint from another, as data. */
export interface HafasProfileData {
  readonly endpoint: string;
  readonly timezone: string;
  readonly locale: string;
  readonly defaultLanguage?: string;
  /** Version of the protocol, e.g. `1.45`. */
  readonly ver?: string;
  readonly ext?: string;
  /** Who asks; checked by the endpoint. */
  readonly client: JsonObject;
  /** The key. */
  readonly auth: JsonObject;
  /** Hexadecimal digits, or bytes; for the endpoints that want requests signed. */
  readonly salt?: string | Uint8Array | null;
  readonly addChecksum?: boolean;
  readonly addMicMac?: boolean;
  readonly products: readonly HafasProductClass[];
  /** The endpoint tells the calls that follow with each departure. */
  readonly departuresGetPasslist?: boolean;
}

/** A profile of hafas-client: the endpoint's data and the library's pure functions for it. */
export interface HafasProfile extends HafasProfileData, HafasFunctions {}

export interface HafasContext {
  readonly profile: HafasProfile;
  readonly opt: JsonObject;
  /** Resolved members of `res.common`; only those that the parse functions called here look into. */
  readonly common: JsonObject;
  /** The raw result. */
  readonly res: JsonObject;
}

interface HafasFunctions {
  parseDateTime(ctx: HafasContext, date: unknown, time: unknown, offsetMinutes?: number | null): string;
  parseDeparture(ctx: HafasContext, raw: JsonObject): HafasBoardEntry;
  parseArrival(ctx: HafasContext, raw: JsonObject): HafasBoardEntry;
  parseStopover(ctx: HafasContext, raw: JsonObject, date: unknown): HafasStopover;
  parseMovement(ctx: HafasContext, raw: JsonObject): HafasPosition;
  parseLine(ctx: HafasContext, raw: JsonObject): HafasLine;
  parseOperator(ctx: HafasContext, raw: JsonObject): { readonly name: string } | null;
  parseLocation(ctx: HafasContext, raw: JsonObject): RawPlace;
  parseWarning(ctx: HafasContext, raw: JsonObject): HafasWarning;
  parseHint(ctx: HafasContext, raw: JsonObject): HafasHint | null;
  parseIcon(ctx: HafasContext, raw: JsonObject): { readonly type: unknown } | null;
  parseStationName(ctx: HafasContext, name: string): string;

  formatStation(id: string): JsonObject;
  formatStationBoardReq(ctx: FormatContext, station: JsonObject, type: 'DEP' | 'ARR'): JsonObject;
  formatTripReq(ctx: FormatContext, id: string): JsonObject;
  formatRadarReq(ctx: FormatContext, north: number, west: number, south: number, east: number): JsonObject;
  formatRemarksReq(ctx: FormatContext): JsonObject;
  transformReqBody(ctx: FormatContext, body: JsonObject): JsonObject;
}

export type FormatContext = Pick<HafasContext, 'profile' | 'opt'>;

// ---- What the parse functions give, as far as it is used. Times are ISO 8601. -----------------------------

export interface HafasBoardEntry {
  /** Of a departure. */
  readonly direction: unknown;
  /** Of an arrival: where the trip comes from. */
  readonly provenance: unknown;
}

export interface HafasStopover {
  readonly plannedArrival: string | null;
  readonly plannedDeparture: string | null;
  /** The planned one where nothing is known; null when cancelled. */
  readonly arrival: string | null;
  readonly departure: string | null;
  readonly plannedArrivalPlatform: unknown;
  readonly plannedDeparturePlatform: unknown;
  /** The vehicle passes without a stop. */
  readonly passBy?: boolean;
}

export interface HafasPosition {
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

/** What `parseLocation` gives; its members are of whatever type the endpoint sent. */
export interface RawPlace {
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
  /** Where the endpoint tells it. */
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
