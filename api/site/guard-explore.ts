import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EXPLORE_DATA } from './view-model/explore-limits.ts';

const EXPLORE_PATHS: readonly (string | undefined)[] = ['/explore', EXPLORE_DATA];
const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
/** Headers of proxies, which may be on this machine while the client is not. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
/** What browsers send for addresses typed in, bookmarks, and links of the site itself. */
const OWN_SITES: readonly unknown[] = [undefined, 'none', 'same-origin'];

/**
 * Answers requests about the lake with 404 unless their client may query it.
 * @param clients `loopback`: programs and browsers of this machine, without a proxy, under a name of this machine, since
 * any other name may be made to point here; `all`: everybody. Pages of other sites never
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
