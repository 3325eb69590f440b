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
