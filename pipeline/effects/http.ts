import { WorldError } from './world-error.ts';

export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** The transfer is cut off beyond it, whatever the length header promised. */
  readonly maxBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for 304 Not Modified. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** One GET that cannot hang or grow for ever. Tests hand in their own. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * @throws WorldError `http_timeout`, `http_unreachable` (both retryable), `http_status` (retryable from 500 on and
 * for 429), while reading the body `http_too_large`
 */
export const fetchHttp: Http = async (request) => {
  const signal = AbortSignal.timeout(request.timeoutSeconds * 1000);
  let response: Response;
  try {
    response = await fetch(request.url, { headers: { ...request.headers }, redirect: 'follow', signal });
  } catch (error) {
    throw toWorldError(request, error);
  }
  if (response.status === 304) return { status: 304, headers: response.headers, body: null };
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new WorldError('http_status', `${request.url} answered ${response.status}`, {
      isRetryable: response.status >= 500 || response.status === 429,
    });
  }
  return { status: response.status, headers: response.headers, body: limitBody(request, response.body) };
};

async function* limitBody(request: HttpRequest, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > request.maxBytes) {
        throw new WorldError('http_too_large', `${request.url} sent more than ${request.maxBytes} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof WorldError ? error : toWorldError(request, error);
  }
}

function toWorldError(request: HttpRequest, cause: unknown): WorldError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  return isTimeout
    ? new WorldError('http_timeout', `${request.url} took longer than ${request.timeoutSeconds} s`, {
        cause,
        isRetryable: true,
      })
    : new WorldError('http_unreachable', `${request.url} cannot be reached`, { cause, isRetryable: true });
}
