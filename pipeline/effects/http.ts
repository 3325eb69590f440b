import { WorldError } from './world-error.ts';

/** One request on the way to an answer: the one asked for, or where a redirect leads. */
export interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Far more than a publisher needs; a longer chain has no end that anyone has seen. */
export const MAX_REDIRECTS = 10;

/** Statuses that name another address for the request (RFC 9110, section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** All that another origin receives of the headers: what it answers itself, and no secret. */
const CONDITIONS: ReadonlySet<string> = new Set(['if-none-match', 'if-modified-since']);

/** Shorter values of a query are switches such as `dl=1`, not keys. */
const MIN_KEY_CHARACTERS = 6;

/**
 * Where a redirect leads. An origin is scheme, host and port. Another origin never receives what was configured for
 * the first: no header, no body, no parameter of the query. Once they are dropped, they stay dropped.
 * @param location the header as `fetch` hands it over; relative ones count from the address of the hop
 * @returns null where the answer is no redirect, or names no address
 * @throws WorldError `http_redirect_refused`; its sentence names the two origins and no secret
 */
export function findNextHop(hop: Hop, status: number, location: string | null): Hop | null {
  if (!REDIRECTS.has(status) || location === null) return null;
  const url = parseLocation(location, hop);
  // Browsers and 303 make a GET of a POST, and the body stays behind; 307 and 308 repeat the request as it was.
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

/** User and password in the address of a redirect are not ours, and are not sent. */
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

/** Whether a value of the query that may be a key is in the query of the next address again. */
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
  /** GET where left out. */
  readonly method?: 'GET' | 'POST';
  /** Conditional requests carry `if-none-match` and `if-modified-since` here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with POST. */
  readonly body?: string;
  readonly timeoutSeconds: number;
  /** The transfer is cut off beyond it, whatever the length header promised. */
  readonly maxBytes: number;
  /** Gives the request up; then its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for 304 Not Modified. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** One request that cannot hang or grow for ever. Tests hand in their own. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** The upstream answered, and what it answered is no success. */
export class HttpStatusError extends WorldError {
  readonly status: number;
  /** The header as it came, seconds or a date; null when there was none. */
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

/** @returns the first answer that leads no further */
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

/** What the length header promised; 0 where it says nothing of the bytes that we see, which are unpacked already. */
function promisedBytes({ headers }: Response): number {
  return headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
}

type TransportCode = 'http_unreachable' | 'http_cut_off';

const TRANSPORT_SENTENCES: Readonly<Record<TransportCode, string>> = {
  http_unreachable: 'cannot be reached',
  http_cut_off: 'stopped sending before the end',
};

/** @param code what it is when it is neither of the failures that tell their own name */
function toWorldError(request: HttpRequest, cause: unknown, code: TransportCode): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  const place = withoutCredentials(request.url);
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const sentence = `${place} took longer than ${request.timeoutSeconds} s`;
    return new WorldError('http_timeout', sentence, { cause, isRetryable: true });
  }
  return new WorldError(code, `${place} ${TRANSPORT_SENTENCES[code]}`, { cause, isRetryable: true });
}

/** A URL fit to be kept and shown: keys in the user part or the query are the operator's secret. */
export function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return location;
  return `${url.origin}${url.pathname}`;
}

/** `fetch` takes no user and password in a URL: they go into the header that they stand for. */
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
