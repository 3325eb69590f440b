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
    const { url, headers } = moveCredentials(request);
    response = await fetch(url, { headers, redirect: 'follow', signal });
  } catch (error) {
    throw toWorldError(request, error);
  }
  if (response.status === 304) return { status: 304, headers: response.headers, body: null };
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new WorldError('http_status', `${withoutCredentials(request.url)} answered ${response.status}`, {
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
        const place = withoutCredentials(request.url);
        throw new WorldError('http_too_large', `${place} sent more than ${request.maxBytes} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof WorldError ? error : toWorldError(request, error);
  }
}

function toWorldError(request: HttpRequest, cause: unknown): WorldError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const place = withoutCredentials(request.url);
  return isTimeout
    ? new WorldError('http_timeout', `${place} took longer than ${request.timeoutSeconds} s`, {
        cause,
        isRetryable: true,
      })
    : new WorldError('http_unreachable', `${place} cannot be reached`, { cause, isRetryable: true });
}

/** A URL fit to be kept and shown: keys in the user part or the query are the operator's secret. */
export function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return location;
  return `${url.origin}${url.pathname}`;
}

/** `fetch` takes no user and password in a URL: they go into the header that they stand for. */
function moveCredentials(request: HttpRequest): { url: URL; headers: Record<string, string> } {
  const url = new URL(request.url);
  const headers = { ...request.headers };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { url, headers };
}
