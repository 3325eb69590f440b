import { isIP } from 'node:net';
import process from 'node:process';
import type { Dispatcher, RequestInit, Response } from 'undici';
import { pinLookup, type ResolveHost, resolveBySystem } from './pinned-lookup.ts';
import { hostOf, type ProxyRules, readProxyRules } from './proxy.ts';
import { isPublicAddress } from './public-addresses.ts';

type Undici = typeof import('undici');

/** `anywhere` is for configured addresses; `public` for addresses to which a server redirects. */
export type Reach = 'anywhere' | 'public';

/** Connections to servers, kept between requests, directly or through the proxies of the environment. */
export interface HttpConnections {
  /**
   * Sends one request and follows no redirect.
   * @param refuse error of a host without any public address, where the reach is `public`
   */
  send(url: URL, init: RequestInit, reach: Reach, refuse: () => Error): Promise<Response>;
  /** @returns the proxy that requests to a URL use; null: none */
  findProxy(url: URL): Promise<URL | null>;
  /** Whether all addresses of a host are outside of the public network; an unknown host is not private. */
  isPrivate(url: URL): Promise<boolean>;
}

interface ConnectionOptions {
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: the resolver of the system. */
  readonly resolve?: ResolveHost;
  /** Tests have no public address. */
  readonly isPublic?: (address: string) => boolean;
}

/** @throws ExternalError `proxy_invalid` with the first request */
export function openConnections(options: ConnectionOptions = {}): HttpConnections {
  const { resolve = resolveBySystem, isPublic = isPublicAddress } = options;
  const opened = remember(() => openAgents(options, resolve, isPublic));
  const findAddresses = async (url: URL): Promise<readonly string[]> => {
    const host = hostOf(url);
    if (isIP(host) !== 0) return [host];
    // Behind a proxy, names of the internet often cannot be resolved.
    return (await resolve(host).catch(() => [])).map(({ address }) => address);
  };
  return {
    async send(url, init, reach, refuse) {
      const { undici, proxies, findProxyAgent, direct, toPublic } = await opened();
      const proxy = proxies.findProxy(url);
      if (reach === 'public' && (proxy !== null || isIP(hostOf(url)) !== 0)) {
        const addresses = await findAddresses(url);
        if (addresses.length > 0 && !addresses.some(isPublic)) throw refuse();
      }
      const dispatcher = proxy ? findProxyAgent(proxy) : reach === 'public' ? toPublic : direct;
      return undici.fetch(url, { ...init, redirect: 'manual', dispatcher }).catch((error) => {
        throw isPrivateHost(error) ? refuse() : error;
      });
    },
    findProxy: async (url) => (await opened()).proxies.findProxy(url),
    async isPrivate(url) {
      const addresses = await findAddresses(url);
      return addresses.length > 0 && !addresses.some(isPublic);
    },
  };
}

interface Agents {
  readonly undici: Undici;
  readonly proxies: ProxyRules;
  readonly findProxyAgent: (proxy: URL) => Dispatcher;
  readonly direct: Dispatcher;
  /** Its connections are to addresses that were checked, so the two share none. */
  readonly toPublic: Dispatcher;
}

/** Loads undici with the first request: most commands send none. */
async function openAgents(
  { environment = process.env }: ConnectionOptions,
  resolve: ResolveHost,
  isPublic: (address: string) => boolean,
): Promise<Agents> {
  const proxies = readProxyRules(environment);
  const undici = await import('undici');
  const proxyAgents = new Map<string, Dispatcher>();
  const findProxyAgent = (proxy: URL) => {
    // Proxies mostly forbid tunnels to ports other than 443, so plain HTTP is forwarded.
    const agent = proxyAgents.get(proxy.href) ?? new undici.ProxyAgent({ uri: proxy.href, proxyTunnel: false });
    proxyAgents.set(proxy.href, agent);
    return agent;
  };
  const lookup = pinLookup(resolve, isPublic, (hostname) => new PrivateHost(hostname));
  const toPublic = new undici.Agent({ connect: { lookup } });
  return { undici, proxies, findProxyAgent, direct: new undici.Agent(), toPublic };
}

class PrivateHost extends Error {}

/** `fetch` passes errors of the connection on as a cause. */
function isPrivateHost(error: unknown): boolean {
  return error instanceof Error && (error instanceof PrivateHost || isPrivateHost(error.cause));
}

function remember<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | null = null;
  return () => {
    opened ??= open();
    return opened;
  };
}
