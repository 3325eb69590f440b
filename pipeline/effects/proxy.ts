import { BlockList, isIP } from 'node:net';
import { ExternalError } from './external-error.ts';
import { isLoopbackAddress } from './public-addresses.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy and the variable that names it. */
interface NamedProxy {
  /** May contain user and password. */
  readonly url: URL;
  readonly variable: string;
}

/** The proxies of a process, from its environment. */
export interface ProxyRules {
  /** @returns null for a request that goes to its server directly */
  findProxy(url: URL): URL | null;
  /** For the log and `doctor`, without credentials; null without a proxy. */
  readonly description: string | null;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`; of each, the lower-case name comes first, as in curl.
 * Requests to this machine never use a proxy.
 *
 * `NO_PROXY` is a list with commas or blanks: `*`; a domain with all of its subdomains, with or without `.` or `*.`
 * before it; an address; a range such as `10.0.0.0/8`; each but a range with a port if wanted.
 * @throws ExternalError `proxy_invalid`
 */
export function readProxyRules(environment: Environment): ProxyRules {
  const all = readProxy(environment, 'ALL_PROXY');
  const byProtocol = new Map([
    ['http:', readProxy(environment, 'HTTP_PROXY') ?? all],
    ['https:', readProxy(environment, 'HTTPS_PROXY') ?? all],
  ]);
  const exceptions = (readVariable(environment, 'NO_PROXY')?.value ?? '').split(/[\s,]+/).filter(Boolean);
  const isExempt = exceptions.map(parseException);
  return {
    findProxy(url) {
      const proxy = byProtocol.get(url.protocol) ?? null;
      const host = hostOf(url);
      if (proxy === null || isThisMachine(host)) return null;
      const port = url.port || (url.protocol === 'https:' ? '443' : '80');
      return isExempt.some((matches) => matches(host, port)) ? null : proxy.url;
    },
    description: describe([...byProtocol], exceptions),
  };
}

function describe(
  byProtocol: readonly (readonly [protocol: string, proxy: NamedProxy | null])[],
  exceptions: readonly string[],
): string | null {
  const used = byProtocol.flatMap(([protocol, proxy]) =>
    proxy === null ? [] : `${protocol.slice(0, -1)} requests go through ${proxy.url.origin} (${proxy.variable})`,
  );
  if (used.length === 0) return null;
  return `${used.join(', ')}${exceptions.length > 0 ? `, except to ${exceptions.join(', ')}` : ''}`;
}

function readVariable(environment: Environment, name: string): { value: string; variable: string } | null {
  for (const variable of [name.toLowerCase(), name]) {
    const value = environment[variable]?.trim();
    if (value) return { value, variable };
  }
  return null;
}

function readProxy(environment: Environment, name: string): NamedProxy | null {
  const found = readVariable(environment, name);
  if (found === null) return null;
  const { value, variable } = found;
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return { url, variable };
  // The value may contain a password, so it is not shown.
  throw new ExternalError(
    'proxy_invalid',
    `${variable} must be the address of an HTTP proxy such as http://proxy:3128`,
  );
}

type MatchesHost = (host: string, port: string) => boolean;

function parseException(entry: string): MatchesHost {
  if (entry === '*') return () => true;
  if (entry.includes('/')) return parseRange(entry);
  const { name, port } = splitPort(entry.toLowerCase());
  const isPort = (requestedPort: string) => port === null || requestedPort === port;
  if (isIP(name) !== 0) {
    const list = new BlockList();
    list.addAddress(name, familyOf(name));
    return (host, requestedPort) => isPort(requestedPort) && isIP(host) !== 0 && list.check(host, familyOf(host));
  }
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  if (domain === '' || domain.includes('*')) throw invalidException(entry);
  return (host, requestedPort) => isPort(requestedPort) && (host === domain || host.endsWith(`.${domain}`));
}

/** An IPv6 address is in brackets if a port follows. */
function splitPort(entry: string): { name: string; port: string | null } {
  if (isIP(entry) !== 0) return { name: entry, port: null };
  const [, inBrackets, bare, port = null] = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: inBrackets ?? bare ?? '', port };
}

function parseRange(entry: string): MatchesHost {
  const [network = '', prefix = ''] = entry.split('/');
  const isRange = isIP(network) !== 0 && /^\d+$/.test(prefix) && Number(prefix) <= (isIP(network) === 4 ? 32 : 128);
  if (!isRange) throw invalidException(entry);
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), familyOf(network));
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
}

function invalidException(entry: string): ExternalError {
  const allowed = 'a domain, an address or a range such as 10.0.0.0/8';
  return new ExternalError('proxy_invalid', `"${entry}" in NO_PROXY must be ${allowed}`);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Host of a URL, without the brackets of IPv6 and the dot of the root. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}
