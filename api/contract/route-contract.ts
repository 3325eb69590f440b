import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from './problems.ts';

/** What one route promises; registration, /v2/meta, the OpenAPI document and the tests all read it. */
export interface RouteContract {
  readonly method: 'GET' | 'POST';
  /** As in the specification, path parameters in braces: `/v2/stops/{id}/departures`. */
  readonly path: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly params?: TObject;
  /** Closed; lists are arrays here and comma-separated in the address. */
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Name of the answer's type in `$defs`; null where the answer is a document of its own (schema, file). */
  readonly answer: string | null;
  readonly answerMediaTypes: readonly string[];
  /** Problems of this route beyond those that every route may answer. */
  readonly problems: readonly ProblemCode[];
  /** Fair-use units that one call costs. */
  readonly cost: number;
  /** Value of Cache-Control for a good answer. */
  readonly cacheControl: string;
}
