import { WorldError } from './world-error.ts';

/** One request of a redirect chain, the first included. */
export interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Far more than a publisher needs; a longer chain is taken for a loop. */
export const MAX_REDIRECTS = 10;

/** Redirect statuses (RFC 9110, section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The only headers that another origin receives: they contain no secret. */
const CONDITIONS: ReadonlySet<string> = new Set(['if-none-match', 'if-modified-since']);

/** Shorter values of a query are switches such as `dl=1`, not keys. */
const MIN_KEY_CHARACTERS = 6;

/**
 * Returns the request that follows a redirect. Another origin (scheme, host and port) never receives what was
 * configured for the first: no header, no body, no query parameter. Once dropped, they stay dropped.
 * @param location the header as `fetch` returns it; a relative one is resolved against the URL of the hop
 * @returns null where the answer is no redirect, or has no location
 * @throws WorldError `http_redirect_refused`; its message names the two origins and no secret
 */
export function findNextHop(hop: Hop, status: number, location: string | null): Hop | null {
  if (!REDIRECTS.has(status) || location === null) return null;
  const url = parseLocation(location, hop);
  // As in browsers, 301, 302 and 303 turn a POST into a GET without body; 307 and 308 repeat the request unchanged.
  const isRepeated = hop.method === 'GET' || status === 307 || status === 308;
  if (url.origin === hop.url.origin) {
    if (isRepeated) return { ...hop, url };
    return { url, method: 'GET', headers: keepHeaders(hop, (name) => !name.startsWith('content-')), body: null };
  }
  if (hop.method === 'POST') throw refuse(hop, `to another origin, ${url.origin}, which must not receive its body`);
  if (repeatsKey(hop.url, url)) {
    throw refuse(hop, `to another origin, ${url.origin}, which must not receive the parameters of its query`);
  }
  return { url, method: 'GET', headers: keepHeaders(hop, (name) => CONDITIONS.has(name)), body: null };
}

/** Removes user and password of a redirect's URL: they are not configured by us, and are not sent. */
function parseLocation(location: string, hop: Hop): URL {
  // Header bytes arrive as Latin-1; addresses that are not plain ASCII are mostly UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(text, hop.url.href)) throw refuse(hop, 'to something that is no address');
  const url = new URL(text, hop.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse(hop, `to an address of ${url.protocol}`);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** Whether a query value that may be a key occurs again in the query of the next URL. */
function repeatsKey(from: URL, to: URL): boolean {
  const next = new Set(to.searchParams.values());
  return [...from.searchParams.values()].some((value) => value.length >= MIN_KEY_CHARACTERS && next.has(value));
}

function keepHeaders({ headers }: Hop, isKept: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name.toLowerCase())));
}

function refuse({ url, method }: Hop, where: string): WorldError {
  return new WorldError('http_redirect_refused', `${method} ${url.origin}${url.pathname} is redirected ${where}`);
}

export interface HttpRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  /** Conditional requests carry `if-none-match` and `if-modified-since` here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST. */
  readonly body?: string;
  readonly timeoutSeconds: number;
  /** The transfer is aborted beyond it, whatever the length header says. */
  readonly maxBytes: number;
  /** Aborts the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for 304 Not Modified. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends one request with limits of time and size. Tests pass their own. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** The upstream answered with a status that is no success. */
export class HttpStatusError extends WorldError {
  readonly status: number;
  /** The unparsed header, seconds or a date; null without one. */
  readonly retryAfter: string | null;

  constructor(url: string, status: number, retryAfter: string | null = null) {
    super('http_status', `${withoutCredentials(url)} answered ${status}`, {
      isRetryable: status >= 500 || status === 429,
    });
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * Follows redirects as `findNextHop` allows: nothing that was configured for one origin reaches another.
 * @throws WorldError `http_timeout`, `http_unreachable` (both retryable), `http_redirect_loop`,
 * `http_redirect_refused`, `http_status` (an `HttpStatusError`, retryable from 500 on and for 429), while reading the
 * body `http_too_large` and `http_cut_off` (retryable); the reason of the request's signal
 */
export const fetchHttp: Http = async (request) => {
  const timeout = AbortSignal.timeout(request.timeoutSeconds * 1000);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  let response: Response;
  try {
    response = await followRedirects(firstHop(request), signal);
  } catch (error) {
    throw error instanceof WorldError ? error : toWorldError(request, error, 'http_unreachable');
  }
  if (response.status === 304) return { status: 304, headers: response.headers, body: null };
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new HttpStatusError(request.url, response.status, response.headers.get('retry-after'));
  }
  return { status: response.status, headers: response.headers, body: limitBody(request, response) };
};

/** @returns the first answer that is no redirect */
async function followRedirects(first: Hop, signal: AbortSignal): Promise<Response> {
  const asked = new Set<string>();
  for (let hop = first; ; ) {
    const { url, method, headers, body } = hop;
    asked.add(`${method} ${url.href}`);
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
    const next = findNextHop(hop, response.status, response.headers.get('location'));
    if (next === null) return response;
    await response.body?.cancel();
    if (asked.has(`${next.method} ${next.url.href}`) || asked.size > MAX_REDIRECTS) {
      throw new WorldError('http_redirect_loop', `${withoutCredentials(first.url.href)} redirects without end`);
    }
    hop = next;
  }
}

/** Reads a body to its end. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* limitBody(request: HttpRequest, response: Response): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > request.maxBytes) {
        const place = withoutCredentials(request.url);
        throw new WorldError('http_too_large', `${place} sent more than ${request.maxBytes} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof WorldError ? error : toWorldError(request, error, 'http_cut_off');
  }
  if (bytes < promisedBytes(response)) throw toWorldError(request, undefined, 'http_cut_off');
}

/** Value of the length header; 0 where the body is compressed, as we receive it unpacked. */
function promisedBytes({ headers }: Response): number {
  return headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
}

type TransportCode = 'http_unreachable' | 'http_cut_off';

const TRANSPORT_SENTENCES: Readonly<Record<TransportCode, string>> = {
  http_unreachable: 'cannot be reached',
  http_cut_off: 'stopped sending before the end',
};

/** @param code for a failure that is neither a timeout nor a `WorldError` */
function toWorldError(request: HttpRequest, cause: unknown, code: TransportCode): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  const place = withoutCredentials(request.url);
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const sentence = `${place} took longer than ${request.timeoutSeconds} s`;
    return new WorldError('http_timeout', sentence, { cause, isRetryable: true });
  }
  return new WorldError(code, `${place} ${TRANSPORT_SENTENCES[code]}`, { cause, isRetryable: true });
}

/** A URL without user part and query, which may contain secrets: safe to store and to show. */
export function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return location;
  return `${url.origin}${url.pathname}`;
}

/** Moves user and password of a URL, which `fetch` refuses, into the `authorization` header. */
function firstHop({ url: address, method = 'GET', headers: asked, body }: HttpRequest): Hop {
  const url = new URL(address);
  const headers = { ...asked };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { url, method, headers, body: body ?? null };
}
