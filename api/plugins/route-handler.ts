import type { Instant } from '../../pipeline/model/service-time.ts';
import type { RouteContract } from '../contract/route-contract.ts';

/** The data of an answer. A request takes it once and keeps it to its end, whatever is loaded meanwhile. */
export interface HeldSnapshot<Value> {
  readonly value: Value;
  /** Version of the published data; equal versions mean equal data. Part of `Data-Version` and the entity tag. */
  readonly dataVersion: string;
  /** Version of the part that no poll changes, for answers from that part only. */
  readonly timetableVersion?: string;
}

export interface SnapshotHolder<Value> {
  /** null while nothing usable has been loaded. */
  current(): HeldSnapshot<Value> | null;
}

/** Input of a route: validated parameters, a time, and the data. No HTTP. */
export interface RouteRequest<Value, Query = QueryValues, Body = unknown> {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** undefined on a GET. */
  readonly body: Body;
  /**
   * Now. On answers that carry an entity tag rounded down to 15 s, or as the handler rounds it, so that equal tags mean
   * equal bytes; and 1970 where the handler declares that time does not change its answer.
   */
  readonly instant: Instant;
  /** null only where the handler declares that it needs none. */
  readonly snapshot: HeldSnapshot<Value> | null;
  /** Result of `takeData`; undefined where the handler has none. */
  readonly data: unknown;
  /** Who asks. Answers that carry an entity tag must not depend on it. */
  getClient(): RequestClient;
  /** The route's media type that the client prefers; the first, without a preference. */
  readonly mediaType: string;
  /** Registers a listener for when the client has disconnected before the answer. */
  whenGone(listener: () => void): void;
}

/** What is known of a client; neither is ever logged or stored as it is. */
export interface RequestClient {
  /** As fair use counts it: an IPv4 address, or the network of an IPv6 address. */
  readonly address: string;
  /** Null when it sends none, or a malformed one. */
  readonly installationToken: string | null;
}

/** Data that one route answers from, taken once per request like the snapshot. */
export interface RouteData {
  readonly value: unknown;
  /** Replaces the snapshot's in `Data-Version`; undefined while nothing is published. */
  readonly dataVersion: string | undefined;
  /** Further state that affects answers; part of the entity tag. */
  readonly tagPart: string | null;
}

export type QueryValues = Readonly<Record<string, unknown>>;

/** Either a value to be serialised as JSON, or finished bytes. Only status 200 is cached and tagged. */
export type Answer = JsonAnswer | BytesAnswer;

interface JsonAnswer {
  readonly json: object;
  readonly status?: number;
}

interface BytesAnswer {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly status?: number;
}

/** A route without HTTP. Throws `ApiProblem` for a refusal. */
export interface RouteHandler<Value, Query = QueryValues, Body = unknown> {
  /**
   * `required`: without data the route answers `timetable_unavailable`. `optional`: the handler accepts null. `unused`:
   * the answer does not depend on the data.
   */
  readonly snapshot: 'required' | 'optional' | 'unused';
  /** `timetable`: the answer contains nothing that a poll changes, so it is kept as long as the timetable. */
  readonly follows?: 'timetable';
  /**
   * Whether the passing of time alone changes the answer. Where it does not, the answer is tagged and kept as long as
   * the data, and the handler must not read `instant`.
   */
  changesWithTime(query: Query, data: unknown): boolean;
  /** For answers that change more rarely than every 15 s. */
  roundInstant?(now: Instant): Instant;
  /** For a route that answers from other data than the snapshot, or from more. */
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
