import { ExternalError } from './external-error.ts';

/** One request of a redirect chain, the first included. */
export interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Hosts that may receive all of it after a redirect, as its origin does. */
  readonly trustedHosts?: readonly string[];
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
 * Returns the request that follows a redirect. Another origin that is not at a trusted host (scheme, host and port) never receives what was
 * configured for the first: no header, no body, no query parameter. Once dropped, they stay dropped.
 * @param location the header as `fetch` returns it; a relative one is resolved against the URL of the hop
 * @returns null if the response is not a redirect, or has no location
 * @throws ExternalError `http_redirect_refused`; its message names the two origins and no secret
 */
export function findNextHop(hop: Hop, status: number, location: string | null): Hop | null {
  if (!REDIRECTS.has(status) || location === null) return null;
  const url = parseLocation(location, hop);
  // As in browsers, 301, 302 and 303 turn a POST into a GET without body; 307 and 308 repeat the request unchanged.
  const isRepeated = hop.method === 'GET' || status === 307 || status === 308;
  if (url.origin === hop.url.origin || isTrusted(hop, url)) {
    if (isRepeated) return { ...hop, url };
    const headers = keepHeaders(hop, (name) => !name.startsWith('content-'));
    return { ...hop, url, method: 'GET', headers, body: null };
  }
  if (hop.method === 'POST')
    throw refuseRedirect(hop, `to another origin, ${url.origin}, which must not receive its body`);
  if (repeatsKey(hop.url, url)) {
    throw refuseRedirect(hop, `to another origin, ${url.origin}, which must not receive the parameters of its query`);
  }
  return { url, method: 'GET', headers: keepHeaders(hop, (name) => CONDITIONS.has(name)), body: null };
}

/** What was encrypted stays encrypted. */
function isTrusted({ url: from, trustedHosts = [] }: Hop, to: URL): boolean {
  return trustedHosts.includes(to.hostname) && (to.protocol === 'https:' || from.protocol === 'http:');
}

/** @param where completes the sentence that begins with the redirected request */
export function refuseRedirect({ url, method }: Pick<Hop, 'url' | 'method'>, where: string): ExternalError {
  return new ExternalError('http_redirect_refused', `${method} ${url.origin}${url.pathname} is redirected ${where}`);
}

/** Removes user and password of a redirect's URL: they are not configured by us, and are not sent. */
function parseLocation(location: string, hop: Hop): URL {
  // Header bytes arrive as Latin-1; addresses that are not plain ASCII are mostly UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(text, hop.url.href)) throw refuseRedirect(hop, 'to an invalid address');
  const url = new URL(text, hop.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuseRedirect(hop, `to an address of ${url.protocol}`);
  }
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
