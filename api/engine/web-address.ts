/** What RFC 3986 allows in an address; the percent sign only before two hexadecimal digits. */
const FORBIDDEN = /[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/g;

/**
 * The address of a web page as the contract promises it, which is stricter than what browsers and publishers take:
 * blanks, umlauts, brackets and the like are percent-encoded.
 * @returns null for what leads nowhere on the web
 */
export function toUri(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host, href } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const start = href.indexOf(host) + host.length;
  // The host of an IPv6 address has brackets that belong there.
  return href.slice(0, start) + href.slice(start).replace(FORBIDDEN, encodeURIComponent);
}
