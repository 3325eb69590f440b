import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from './problems.ts';

/** Contract of one route; registration, /v2/meta, the OpenAPI document and the tests use it. */
export interface RouteContract {
  readonly method: 'GET' | 'POST';
  /** With path parameters in braces: `/v2/stops/{id}/departures`. */
  readonly path: string;
  /** Unique and stable: client generators derive method names from it. */
  readonly operationId: string;
  /** One sentence. */
  readonly summary: string;
  readonly params?: TObject;
  /** Allows no other members and contains no `$ref`. Lists are arrays here and comma-separated in the URL. */
  readonly query: TObject;
  /** Parameter that carries a complete query, such as a page token: if present, the others get no defaults. */
  readonly continuation?: string;
  readonly body?: TSchema;
  /** Name of the body's type in `$defs`; present whenever `body` is. */
  readonly bodyType?: string;
  /** Name of the response type in `$defs`; null for other documents (schema, file). */
  readonly answer: string | null;
  readonly answerMediaTypes: readonly string[];
  /** Status codes other than 200 whose response is not a problem, with the response type in `$defs`. */
  readonly otherAnswers?: Readonly<Record<number, string>>;
  /** Problems of this route, besides the general ones. */
  readonly problems: readonly ProblemCode[];
  /** Fair-use units that one request costs. */
  readonly cost: number;
  /** Cache-Control of a successful response. */
  readonly cacheControl: string;
}
