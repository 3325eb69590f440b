/** A problem that the service returned; if it could not be reached, `code` is `unreachable`. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Converts any failure of a request, or of reading its response, to an `ApiError`. */
export function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError('unreadable', String(cause));
}

export interface FetchedJson<Answer> {
  readonly answer: Answer;
  /** Time of the service in milliseconds since 1970, because the clock of the device may be wrong. */
  readonly serverMilliseconds: number;
}

/**
 * Fetches JSON from the service. The browser revalidates its cache by entity tag, so unchanged data costs only a 304.
 * @param path absolute path with query
 * @throws ApiError; an aborted request throws the reason of the signal
 */
export async function fetchJson<Answer>(path: string, options: FetchOptions = {}): Promise<FetchedJson<Answer>> {
  const response = await send(path, options);
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw readProblem(response.status, answer);
  const date = Date.parse(response.headers.get('date') ?? '');
  return { answer: answer as Answer, serverMilliseconds: Number.isNaN(date) ? performance.timeOrigin : date };
}

interface FetchOptions {
  readonly signal?: AbortSignal;
  /** Sent as JSON by POST; absent: GET. */
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
