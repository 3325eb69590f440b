import type { Instant } from '../../pipeline/model/service-time.ts';

/** The data that an answer is made from. A request takes it once and keeps it to its end, whatever is loaded meanwhile. */
export interface HeldSnapshot<Value> {
  readonly value: Value;
  /** Names the published data; equal versions mean equal data. Goes into `Data-Version` and the entity tag. */
  readonly dataVersion: string;
  /** Names that part of it which follows no poll, for answers that tell of nothing else. */
  readonly timetableVersion?: string;
}

export interface SnapshotHolder<Value> {
  /** null while nothing usable has been loaded. */
  current(): HeldSnapshot<Value> | null;
}

/** What a route works on: input that was read and checked, a moment, and the data. Nothing of HTTP. */
export interface RouteRequest<Value, Query = QueryValues, Body = unknown> {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** undefined on a GET. */
  readonly body: Body;
  /**
   * Now. On answers that carry an entity tag rounded down to 15 s, or as the handler rounds it, so that equal tags mean
   * equal bytes; and 1970 where the handler said that time does not change its answer.
   */
  readonly moment: Instant;
  /** null only where the handler said that it can do without. */
  readonly snapshot: HeldSnapshot<Value> | null;
  /** What `takeData` took; undefined where the handler has none. */
  readonly data: unknown;
  /** The one of the route's media types that the caller likes best; the first, where he has no preference. */
  readonly mediaType: string;
  /** Has a function called when the caller has gone before he was answered. */
  whenGone(listener: () => void): void;
}

/** Data that one route answers from, taken once per request like the snapshot. */
export interface RouteData {
  readonly value: unknown;
  /** Goes into `Data-Version` in place of the snapshot's; undefined while there is nothing published. */
  readonly dataVersion: string | undefined;
  /** What else of it shows in answers; part of the entity tag. */
  readonly tagPart: string | null;
}

export type QueryValues = Readonly<Record<string, unknown>>;

/** Either a value that becomes JSON, or finished bytes. Only status 200 is cached and tagged. */
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

/** One route below HTTP. Throws `ApiProblem` for what it refuses. */
export interface RouteHandler<Value, Query = QueryValues, Body = unknown> {
  /**
   * `required`: without data the route answers `timetable_unavailable`. `optional`: the handler copes with null.
   * `unused`: the answer says nothing about the data.
   */
  readonly snapshot: 'required' | 'optional' | 'unused';
  /** `timetable`: the answer tells of nothing that a poll changes, so it is kept for as long as the timetable holds. */
  readonly follows?: 'timetable';
  /**
   * Whether the passing of time alone changes the answer. Where it does not, the answer is tagged and kept for as long
   * as the data holds, and the handler must not look at `moment`.
   */
  changesWithTime(query: Query, data: unknown): boolean;
  /** For answers that change more rarely than every 15 s. */
  roundMoment?(now: Instant): Instant;
  /** For a route that answers from other data than the snapshot, or from more. */
  takeData?(query: Query, snapshot: HeldSnapshot<Value> | null): RouteData;
  answer(request: RouteRequest<Value, Query, Body>): Answer | Promise<Answer>;
}

/** A route as `/v2/meta` lists it. */
export type RouteKey = `${'GET' | 'POST'} /${string}`;
