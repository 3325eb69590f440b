import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from './problems.ts';

/** What one route promises; registration, /v2/meta, the OpenAPI document and the tests all read it. */
export interface RouteContract {
  readonly method: 'GET' | 'POST';
  /** As in the specification, path parameters in braces: `/v2/stops/{id}/departures`. */
  readonly path: string;
  /** Unique and stable: client generators make method names of it. */
  readonly operationId: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly params?: TObject;
  /** Closed, without references; empty where nothing may be asked. Lists are arrays here and comma-separated in the address. */
  readonly query: TObject;
  /** The parameter that carries a whole question by itself: beside it, parameters that are left out get no default. */
  readonly continuation?: string;
  readonly body?: TSchema;
  /** Name of the body's type in `$defs`; there whenever `body` is. */
  readonly bodyType?: string;
  /** Name of the answer's type in `$defs`; null where the answer is a document of its own (schema, file). */
  readonly answer: string | null;
  readonly answerMediaTypes: readonly string[];
  /** Status codes other than 200 that carry an answer instead of a problem, with the type in `$defs`. */
  readonly otherAnswers?: Readonly<Record<number, string>>;
  /** Problems of this route beyond those that every route may answer. */
  readonly problems: readonly ProblemCode[];
  /** Fair-use units that one call costs. */
  readonly cost: number;
  /** Value of Cache-Control for a good answer. */
  readonly cacheControl: string;
}
