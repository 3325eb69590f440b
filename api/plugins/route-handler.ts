import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RouteContract } from '../contract/route-contract.ts';

/** The data behind a response. A request takes it once and uses it to the end, even if newer data is loaded meanwhile. */
export interface HeldSnapshot<Value> {
  readonly value: Value;
  /** Version of the published data; equal versions mean equal data. Part of `Data-Version` and the entity tag. */
  readonly dataVersion: string;
  /** Version of the timetable part, for responses that do not depend on realtime. */
  readonly timetableVersion?: string;
}

export interface SnapshotHolder<Value> {
  /** null until something usable has been loaded. */
  current(): HeldSnapshot<Value> | null;
}

/** Input of a route: validated parameters, a time, and the data. No HTTP. */
export interface RouteRequest<Value, Query = QueryValues, Body = unknown> {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** undefined for GET. */
  readonly body: Body;
  /**
   * Current time. For responses with an entity tag it is rounded down to 15 s, or as the handler rounds it, so that equal
   * tags mean equal bytes. 1970 if the handler declares that time does not change its response.
   */
  readonly instant: Instant;
  /** null only if the handler declares that it needs no data. */
  readonly snapshot: HeldSnapshot<Value> | null;
  /** Result of `takeData`; undefined if the handler has no such function. */
  readonly data: unknown;
  /** The client. Responses with an entity tag must not depend on it. */
  getClient(): RequestClient;
  /** The media type of the route that the client prefers; the first if it has no preference. */
  readonly mediaType: string;
  /** Registers a listener that is called if the client disconnects before the response. */
  whenGone(listener: () => void): void;
}

/** Identity of a client; neither part is ever logged or stored unhashed. */
export interface RequestClient {
  /** As fair use counts it: an IPv4 address, or the network of an IPv6 address. */
  readonly address: string;
  /** null if it is absent or malformed. */
  readonly installationToken: string | null;
}

/** Additional data of one route, taken once per request like the snapshot. */
export interface RouteData {
  readonly value: unknown;
  /** Replaces the version of the snapshot in `Data-Version`; undefined while nothing is published. */
  readonly dataVersion: string | undefined;
  /** Further state that affects responses; part of the entity tag. */
  readonly tagPart: string | null;
}

export type QueryValues = Readonly<Record<string, unknown>>;

/** A value to be serialised as JSON, or finished bytes. Only status 200 is cached. */
export type Answer = JsonAnswer | BytesAnswer;

interface JsonAnswer {
  readonly json: object;
  readonly status?: number;
}

interface BytesAnswer {
  readonly bytes: Uint8Array;
  /** Default: the first media type of the route, else JSON. */
  readonly mediaType?: string;
  readonly status?: number;
}

/** A route without HTTP. Throws `ApiProblem` for a refusal. */
export interface RouteHandler<Value, Query = QueryValues, Body = unknown> {
  /**
   * `required`: without data the route answers `timetable_unavailable`. `optional`: the handler accepts null. `unused`:
   * the response does not depend on the data.
   */
  readonly snapshot: 'required' | 'optional' | 'unused';
  /** `timetable`: the response does not depend on realtime, so it stays valid as long as the timetable. */
  readonly follows?: 'timetable';
  /**
   * Whether the response changes with time alone. If not, it is tagged and stays valid as long as the data, and the handler
   * must not read `instant`.
   */
  changesWithTime(query: Query, data: unknown): boolean;
  /** Rounds `instant` for responses that change less often than every 15 s. */
  roundInstant?(now: Instant): Instant;
  /** Takes data other than the snapshot, or in addition to it. */
  takeData?(query: Query, snapshot: HeldSnapshot<Value> | null): RouteData;
  answer(request: RouteRequest<Value, Query, Body>): Answer | Promise<Answer>;
}

/** A route as `/v2/meta` lists it. */
export type RouteKey = `${'GET' | 'POST'} /${string}`;

/** A route that brings its handler. */
export interface BoundRoute<Value> {
  readonly contract: RouteContract;
  readonly handler: RouteHandler<Value>;
}
