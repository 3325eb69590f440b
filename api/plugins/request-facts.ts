import { createHmac, randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import type { FastifyRequest, HTTPMethods } from 'fastify';

const HEADER = 'x-installation-token';
const TOKEN = /^[A-Za-z0-9._-]{8,128}$/;

/** Returns the installation token of an app; null if it is absent or malformed. Never log it. */
export function findInstallationToken(headers: IncomingHttpHeaders): string | null {
  const token = headers[HEADER];
  return typeof token === 'string' && TOKEN.test(token) ? token : null;
}

/**
 * Creates a hash function for installation tokens in the log. Its key lives as long as the process: log lines can be
 * grouped by installation, but tokens can neither be guessed nor followed across restarts.
 */
export function createTokenHasher(): (token: string) => string {
  const key = randomBytes(32);
  return (token) => createHmac('sha256', key).update(token).digest('hex').slice(0, 16);
}

/** Family of a path: the open routes, the app contract, or the pages of the site. */
export type RouteFamily = 'v1' | 'v2' | 'site';

/** Properties of a route that are needed before its handler runs. */
export interface RouteFacts {
  readonly family: RouteFamily;
  /** Fair-use units of one call. */
  readonly cost: number;
  /** Value of `Allow`; set only for OPTIONS, and for methods that a known path does not support. */
  readonly allow?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    facts?: RouteFacts;
  }
}

const siteFacts: RouteFacts = { family: 'site', cost: 0 };

/** @returns null if the router has no route with this path */
export function findRouteFacts(request: FastifyRequest): RouteFacts | null {
  if (!request.is404) return request.routeOptions.config.facts ?? siteFacts;
  const { server, url } = request;
  // Registering all methods that Node parses for each path would take a tenth of a start.
  if (server.findRoute({ method: 'OPTIONS', url }) === null) return null;
  const allow = listAllowed((method) => server.findRoute({ method, url }) !== null);
  return { family: familyOfTarget(url), cost: 0, allow };
}

/** Returns the value of `Allow` for a path. */
export function listAllowed(isServed: (method: HTTPMethods) => boolean): string {
  return [...METHODS.filter((method) => method !== 'OPTIONS' && isServed(method)), 'OPTIONS'].join(', ');
}

/**
 * Returns the family of a path that has no route, parsed like the router does: decoded, case-sensitive. Repeated slashes
 * count as one, because proxies merge them.
 * @param target the request target as sent, also in absolute form; an undecodable path is decoded as far as possible
 */
export function familyOfTarget(target: string): RouteFamily {
  const path = decodeAscii(pathOfTarget(target)).replace(/\/{2,}/g, '/');
  const [, family] = /^\/(v1|v2)(?:\/|$)/.exec(path) ?? [];
  return family === 'v1' || family === 'v2' ? family : 'site';
}

/** The path of a request target, without query and without the host of the absolute form. Still encoded. */
export function pathOfTarget(target: string): string {
  const withoutHost = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = withoutHost.search(/[?#]/);
  return end === -1 ? withoutHost : withoutHost.slice(0, end);
}

function decodeAscii(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
