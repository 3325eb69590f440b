/** Cookies beyond these limits are dropped; no redirect of a publisher needs as many. */
const MAX_COOKIES = 20;
const MAX_COOKIE_CHARACTERS = 4096;

/** Cookies of one redirect chain. Each belongs to the origin (scheme, host and port) that set it, and to no other. */
interface CookieJar {
  /** Stores the `Set-Cookie` headers of an answer. */
  store(url: URL, setCookies: readonly string[]): void;
  /** @returns the `Cookie` header of a request: the configured one, in which a cookie set since replaces its namesake */
  toHeader(url: URL, configured: string | null): string | null;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/**
 * Opens an empty jar. `Domain` is ignored, because no other host receives a cookie in any case; of `Path`, `Max-Age` and
 * `Expires`, the rules of RFC 6265 apply.
 * @param nowMilliseconds for `Expires`
 */
export function openCookieJar(nowMilliseconds: number): CookieJar {
  const byOrigin = new Map<string, Map<string, Cookie>>();
  return {
    store(url, setCookies) {
      const cookies = byOrigin.get(url.origin) ?? new Map<string, Cookie>();
      byOrigin.set(url.origin, cookies);
      for (const text of setCookies) {
        const parsed = parseSetCookie(text, url, nowMilliseconds);
        if (parsed === null) continue;
        const key = `${parsed.cookie.name};${parsed.cookie.path}`;
        if (parsed.isExpired) cookies.delete(key);
        else if (cookies.has(key) || cookies.size < MAX_COOKIES) cookies.set(key, parsed.cookie);
      }
    },
    toHeader(url, configured) {
      const stored = [...(byOrigin.get(url.origin)?.values() ?? [])].filter(({ path }) => isBelow(url.pathname, path));
      if (stored.length === 0) return configured;
      const names = new Set(stored.map(({ name }) => name));
      const kept = (configured ?? '').split(';').map((pair) => pair.trim());
      const own = kept.filter((pair) => pair !== '' && !names.has(pair.split('=')[0]!.trim()));
      return [...own, ...stored.map(({ name, value }) => `${name}=${value}`)].join('; ');
    },
  };
}

/** @returns null if it is not a cookie */
function parseSetCookie(
  text: string,
  url: URL,
  nowMilliseconds: number,
): { cookie: Cookie; isExpired: boolean } | null {
  const [pair = '', ...attributes] = text.split(';');
  const split = pair.indexOf('=');
  const name = pair.slice(0, Math.max(split, 0)).trim();
  if (name === '' || text.length > MAX_COOKIE_CHARACTERS) return null;
  const read = new Map(attributes.map((attribute) => splitAttribute(attribute)));
  const path = read.get('path');
  const cookie = { name, value: pair.slice(split + 1).trim(), path: path?.startsWith('/') ? path : folderOf(url) };
  const maxAge = Number.parseInt(read.get('max-age') ?? '', 10);
  const expires = Date.parse(read.get('expires') ?? '');
  const isExpired = Number.isNaN(maxAge) ? expires <= nowMilliseconds : maxAge <= 0;
  return { cookie, isExpired };
}

function splitAttribute(attribute: string): [name: string, value: string] {
  const split = attribute.indexOf('=');
  if (split < 0) return [attribute.trim().toLowerCase(), ''];
  return [attribute.slice(0, split).trim().toLowerCase(), attribute.slice(split + 1).trim()];
}

/** Default path of a cookie (RFC 6265, section 5.1.4). */
function folderOf({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

/** Path match of RFC 6265, section 5.1.4. */
function isBelow(pathname: string, folder: string): boolean {
  return pathname === folder || pathname.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
