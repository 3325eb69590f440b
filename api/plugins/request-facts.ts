import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

const HEADER = 'x-installation-token';
const TOKEN = /^[A-Za-z0-9._-]{8,128}$/;

/** The installation token of an app; null when it is absent or malformed. Never log it. */
export function findInstallationToken(headers: IncomingHttpHeaders): string | null {
  const token = headers[HEADER];
  return typeof token === 'string' && TOKEN.test(token) ? token : null;
}

/**
 * Creates the hasher of installation tokens for the log. The key lives as long as the process: log lines of one process
 * can be distinguished by installation, but a token can neither be found by trying, nor followed over restarts.
 */
export function createTokenHasher(): (token: string) => string {
  const key = randomBytes(32);
  return (token) => createHmac('sha256', key).update(token).digest('hex').slice(0, 16);
}

/** The route family of a path: the open routes, the app contract, or the site's pages. */
export type RouteFamily = 'v1' | 'v2' | 'site';

/** Facts about a route that are needed before its handler runs. */
export interface RouteFacts {
  readonly family: RouteFamily;
  /** Fair-use units of one call. */
  readonly cost: number;
  /** Set on the routes that represent a known path's other methods: the value of `Allow`. */
  readonly allow?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    facts?: RouteFacts;
  }
}

const siteFacts: RouteFacts = { family: 'site', cost: 0 };

/** @returns null where the router found no route */
export function findRouteFacts(request: FastifyRequest): RouteFacts | null {
  if (request.is404) return null;
  return request.routeOptions.config.facts ?? siteFacts;
}

/**
 * The family of a path without a route, parsed as the router does: decoded, case-sensitive. Repeated slashes count as
 * one, because proxies before and after us merge them.
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
