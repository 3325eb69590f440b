import type { Response } from 'undici';
import { systemClock } from './clock.ts';
import { openCookieJar } from './cookie-jar.ts';
import { ExternalError } from './external-error.ts';
import { type HttpConnections, openConnections, type Reach } from './http-connections.ts';
import { findNextHop, type Hop, MAX_REDIRECTS, refuseRedirect } from './redirects.ts';

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
  /** Hosts that the whole request may be redirected to, body and headers included; absent: its origin alone. */
  readonly redirectHosts?: readonly string[];
  /** Aborts the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for 304 Not Modified. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** The address that answered, without user and query; absent where the request was not redirected. */
  readonly redirectedTo?: string;
}

/** Sends one request with limits of time and size. Tests pass their own. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** The upstream answered with an error status. */
export class HttpStatusError extends ExternalError {
  readonly status: number;
  /** The unparsed header, seconds or a date; null without one. */
  readonly retryAfter: string | null;

  /** @param place without credentials */
  constructor(place: string, status: number, retryAfter: string | null = null) {
    super('http_status', `${place} answered ${status}`, {
      isRetryable: status >= 500 || status === 429,
    });
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/**
 * Follows redirects as `findNextHop` allows: nothing that was configured for one origin reaches another, and no redirect
 * leads from the public network into a private one. Cookies that redirects set are sent to their origin and are
 * forgotten with the request. Uses the proxies of the environment.
 * @throws ExternalError `http_timeout`, `http_unreachable` (both retryable), `http_redirect_loop`,
 * `http_redirect_refused`, `proxy_invalid`, `http_status` (an `HttpStatusError`, retryable from 500 on and for 429),
 * while reading the body `http_too_large` and `http_cut_off` (retryable); the reason of the request's signal
 */
export function createHttp(connections: HttpConnections): Http {
  return async (request) => {
    const timeout = AbortSignal.timeout(request.timeoutSeconds * 1000);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    const route = new Route(firstHop(request));
    try {
      const response = await followRedirects(route, connections, signal);
      const headers = new Headers([...response.headers]);
      const moved = route.last === route.first ? {} : { redirectedTo: withoutCredentials(route.last.url.href) };
      if (response.status === 304) return { status: 304, headers, body: null, ...moved };
      if (!response.ok || !response.body) {
        await response.body?.cancel();
        throw new HttpStatusError(route.place, response.status, headers.get('retry-after'));
      }
      return { status: response.status, headers, body: limitBody(request, route.place, response), ...moved };
    } catch (error) {
      if (error instanceof ExternalError) throw error;
      const proxy = await connections.findProxy(route.last.url);
      const place = proxy === null ? route.place : `${route.place} by way of the proxy ${proxy.origin}`;
      throw toExternalError(request, place, error, 'http_unreachable');
    }
  };
}

const ownConnections = openConnections();

/** With the connections and the environment of this process. */
export const fetchHttp: Http = createHttp(ownConnections);

/** As `fetchHttp` where no redirect is followed. @throws errors of the connection */
export function sendOnce(url: URL, init: Pick<RequestInit, 'method' | 'headers' | 'signal'> & { body: string }) {
  const refuse = () => new Error('unreachable: nothing is refused');
  return ownConnections.send(url, init as Parameters<HttpConnections['send']>[1], 'anywhere', refuse);
}

/** The requests of one redirect chain so far. */
class Route {
  readonly first: Hop;
  readonly #sent = new Set<string>();
  last: Hop;

  constructor(first: Hop) {
    this.first = first;
    this.last = first;
  }

  /** The first address and the one that was reached, for messages; without credentials. */
  get place(): string {
    const [first, last] = [this.first, this.last].map(({ url }) => withoutCredentials(url.href));
    return first === last ? first! : `${first}, redirected to ${last},`;
  }

  /** @throws ExternalError `http_redirect_loop` for a request that was sent before with the same cookies */
  add(hop: Hop, cookie: string | null): void {
    const request = `${hop.method} ${hop.url.href} ${cookie ?? ''}`;
    if (this.#sent.has(request) || this.#sent.size > MAX_REDIRECTS) {
      throw new ExternalError('http_redirect_loop', `${withoutCredentials(this.first.url.href)} redirects without end`);
    }
    this.#sent.add(request);
    this.last = hop;
  }
}

/** @returns the first answer other than a redirect */
async function followRedirects(route: Route, connections: HttpConnections, signal: AbortSignal): Promise<Response> {
  const jar = openCookieJar(systemClock.nowMilliseconds());
  let reach: Reach = 'anywhere';
  let before: Hop | null = null;
  for (let hop = route.first; ; ) {
    const cookie = jar.toHeader(hop.url, findHeader(hop, 'cookie'));
    route.add(hop, cookie);
    const from: Hop = before ?? hop;
    const refuse = () => refuseRedirect(from, `to ${hop.url.origin}, a private address, but is itself public`);
    const { method, body } = hop;
    const headers = cookie === null ? hop.headers : { ...withoutHeader(hop, 'cookie'), cookie };
    const response = await connections.send(hop.url, { method, headers, body, signal }, reach, refuse);
    const next = findNextHop(hop, response.status, response.headers.get('location'));
    if (next === null) return response;
    jar.store(hop.url, response.headers.getSetCookie());
    await response.body?.cancel();
    // What the operator has configured may be private, and may then lead to its neighbours.
    if (before === null && !(await connections.isPrivate(hop.url))) reach = 'public';
    [before, hop] = [hop, next];
  }
}

function findHeader({ headers }: Hop, wanted: string): string | null {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
}

function withoutHeader({ headers }: Hop, unwanted: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== unwanted));
}

/** Reads a body to its end. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* limitBody(request: HttpRequest, place: string, response: Response): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > request.maxBytes) {
        throw new ExternalError('http_too_large', `${place} sent more than ${request.maxBytes} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ExternalError ? error : toExternalError(request, place, error, 'http_cut_off');
  }
  if (bytes < promisedBytes(response)) throw toExternalError(request, place, undefined, 'http_cut_off');
}

/** Value of the length header; 0 where the body is compressed, as we receive it unpacked. */
function promisedBytes({ headers }: Pick<Response, 'headers'>): number {
  return headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
}

type TransportCode = 'http_unreachable' | 'http_cut_off';

const TRANSPORT_SENTENCES: Readonly<Record<TransportCode, string>> = {
  http_unreachable: 'cannot be reached',
  http_cut_off: 'stopped sending before the end',
};

/** @param code for a failure that is neither a timeout nor a `ExternalError` */
function toExternalError(request: HttpRequest, place: string, cause: unknown, code: TransportCode): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const sentence = `${place} took longer than ${request.timeoutSeconds} s`;
    return new ExternalError('http_timeout', sentence, { cause, isRetryable: true });
  }
  return new ExternalError(code, `${place} ${TRANSPORT_SENTENCES[code]}`, { cause, isRetryable: true });
}

/** A URL without user part and query, which may contain secrets: safe to store and to show. */
export function withoutCredentials(location: string): string {
  if (!URL.canParse(location)) return location;
  const url = new URL(location);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return location;
  return `${url.origin}${url.pathname}`;
}

/** Moves user and password of a URL, which `fetch` refuses, into the `authorization` header. */
function firstHop({ url: address, method = 'GET', headers: given, body, redirectHosts }: HttpRequest): Hop {
  const url = new URL(address);
  const headers = { ...given };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  return { url, method, headers, body: body ?? null, ...(redirectHosts ? { trustedHosts: redirectHosts } : {}) };
}
