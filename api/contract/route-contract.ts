import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from './problems.ts';

/** The contract of one route; used by registration, /v2/meta, the OpenAPI document and the tests. */
export interface RouteContract {
  readonly method: 'GET' | 'POST';
  /** As in the specification, with path parameters in braces: `/v2/stops/{id}/departures`. */
  readonly path: string;
  /** Unique and stable: client generators derive method names from it. */
  readonly operationId: string;
  /** One sentence. */
  readonly summary: string;
  readonly params?: TObject;
  /** Closed, without references; empty without parameters. Lists are arrays here and comma-separated in the address. */
  readonly query: TObject;
  /** The parameter that carries the whole query by itself: next to it, omitted parameters get no default. */
  readonly continuation?: string;
  readonly body?: TSchema;
  /** Name of the body's type in `$defs`; present whenever `body` is. */
  readonly bodyType?: string;
  /** Name of the answer's type in `$defs`; null for a document of another kind (schema, file). */
  readonly answer: string | null;
  readonly answerMediaTypes: readonly string[];
  /** Status codes other than 200 with an answer instead of a problem, and its type in `$defs`. */
  readonly otherAnswers?: Readonly<Record<number, string>>;
  /** Problems of this route in addition to the general ones. */
  readonly problems: readonly ProblemCode[];
  /** Fair-use units of one call. */
  readonly cost: number;
  /** Cache-Control of a successful answer. */
  readonly cacheControl: string;
}
