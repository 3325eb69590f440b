import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EXPLORE_DATA } from './view-model/explore-limits.ts';

const EXPLORE_PATHS: readonly (string | undefined)[] = ['/explore', EXPLORE_DATA];
const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
/** Headers that proxies add; a proxy on this machine may forward requests of remote clients. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
/** What browsers send for typed addresses, bookmarks, and links within the site. */
const OWN_SITES: readonly unknown[] = [undefined, 'none', 'same-origin'];

/**
 * Answers 404 to requests about the lake unless their client may query it. Pages of other sites never may.
 * @param clients `loopback`: clients on this machine, without a proxy, that use a name of this machine, because any
 * other name may be made to point here; `all`: everybody
 */
export function guardExplore(app: FastifyInstance, clients: 'loopback' | 'all'): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isExplore = EXPLORE_PATHS.includes(request.routeOptions.url);
    if (!isExplore || (isOwnSite(request) && (clients === 'all' || isLoopback(request)))) return done();
    reply.callNotFound();
  });
}

function isOwnSite({ headers }: FastifyRequest): boolean {
  return OWN_SITES.includes(headers['sec-fetch-site']);
}

/** Whether a client on this machine sent the request to this machine. */
function isLoopback({ ip, host, headers }: Pick<FastifyRequest, 'ip' | 'host' | 'headers'>): boolean {
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  return !isProxied && LOOPBACK_ADDRESS.test(ip) && LOOPBACK_NAME.test(host);
}
