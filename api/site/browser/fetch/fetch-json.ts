/** A refusal of the service, or that it could not be reached: then `code` is `unreachable`. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Any failure of a request or of what was made of its answer, as one of these. */
export function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('unreadable', String(cause));
}

export interface JsonAnswer<Answer> {
  readonly answer: Answer;
  /** What the service's clock showed, in milliseconds since 1970: this device's may be wrong. */
  readonly serverMilliseconds: number;
}

/**
 * Asks the service for JSON. What the browser holds is checked by its entity tag, so an unchanged answer costs a 304.
 * @param path absolute path with query
 * @throws AskError; an aborted request throws the signal's reason
 */
export async function fetchJson<Answer>(path: string, options: FetchOptions = {}): Promise<JsonAnswer<Answer>> {
  const response = await send(path, options);
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw readProblem(response.status, answer);
  const date = Date.parse(response.headers.get('date') ?? '');
  return { answer: answer as Answer, serverMilliseconds: Number.isNaN(date) ? performance.timeOrigin : date };
}

export interface FetchOptions {
  readonly signal?: AbortSignal;
  /** Sent as JSON by POST; absent: a GET. */
  readonly body?: object;
}

async function send(path: string, { signal, body }: FetchOptions): Promise<Response> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    return await fetch(path, { cache: 'no-cache', signal: signal ?? null, ...(body === undefined ? {} : post) });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError('unreachable', String(cause));
  }
}

function readProblem(status: number, answer: unknown): ApiError {
  const problem = (answer ?? {}) as { readonly code?: string; readonly detail?: string };
  return new ApiError(problem.code ?? `status_${status}`, problem.detail ?? '');
}
