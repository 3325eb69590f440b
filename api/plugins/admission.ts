import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblem } from '../contract/problems.ts';
import { notFound } from './errors.ts';
import type { FairUse } from './fair-use.ts';
import {
  familyOfTarget,
  findInstallationToken,
  findRouteFacts,
  type RouteFacts,
  type RouteFamily,
} from './request-facts.ts';

/** Longer than any address with a zone; anything longer is a forged header. */
const MAX_ADDRESS_CHARACTERS = 64;

/**
 * Returns the part of a client address that identifies one customer: an IPv4 address, or the /64 network of an IPv6
 * address. An IPv4-mapped IPv6 address counts as IPv4. An invalid address is returned unchanged.
 */
export function clientNetwork(address: string): string {
  const bare = address.slice(0, MAX_ADDRESS_CHARACTERS).toLowerCase().replace(/%.*$/, '');
  if (!bare.includes(':')) return bare;
  const mapped = /^(?:0{0,4}:){0,5}:?(?:ffff:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare);
  if (mapped) return mapped[1]!;
  const groups = expandGroups(bare);
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : bare;
}

/** The eight groups of an IPv6 address without leading zeros; null if it is not an IPv6 address. */
function expandGroups(address: string): string[] | null {
  const [head, tail, ...more] = address.split('::');
  if (more.length > 0) return null;
  const left = splitGroups(head!);
  const right = tail === undefined ? [] : splitGroups(tail);
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group)) ? groups.map((g) => g.replace(/^0+(?=.)/, '')) : null;
}

/** A dotted last part (`64:ff9b::192.0.2.1`) represents two groups, which are outside the /64. */
function splitGroups(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}

interface SizeLimits {
  readonly urlBytes: number;
  readonly headerBytes: number;
}

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = 'ETag, Data-Version, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/**
 * Decides whether a request may reach its handler, before its body is read. The order of refusals is part of the
 * contract: Origin, unreadable requests, 404, 405, fair use; the input is validated after that.
 * @throws ApiProblem
 * @returns true if the request has been answered here
 */
export function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: { readonly limits: SizeLimits; readonly fairUse: FairUse | null },
): boolean {
  const facts = findRouteFacts(request);
  const family = facts?.family ?? familyOfTarget(request.url);
  const refusal = findRefusal(request, facts, family, settings.limits);
  writeCommonHeaders(reply, family);
  const limited = chargeFairUse(request, reply, settings.fairUse, refusal ? 0 : (facts?.cost ?? 0));
  if (refusal?.code === 'method_not_allowed' || !refusal) writeAllow(reply, facts);
  if (refusal) throw refusal;
  if (limited) throw limited;
  if (facts?.allow === undefined) return false;
  answerOptions(request, reply, family, facts.allow);
  return true;
}

/**
 * Admits requests that the router cannot look up: sets the same headers, and applies the refusals that come first.
 * @returns null if no earlier refusal applies
 */
export function admitUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  fairUse: FairUse | null,
): ApiProblem | null {
  const family = familyOfTarget(request.url);
  writeCommonHeaders(reply, family);
  chargeFairUse(request, reply, fairUse, 0);
  return isOriginRefused(request, family) ? originNotAllowed() : null;
}

function findRefusal(
  request: FastifyRequest,
  facts: RouteFacts | null,
  family: RouteFamily,
  limits: SizeLimits,
): ApiProblem | null {
  if (isOriginRefused(request, family)) return originNotAllowed();
  const unreadable = findUnreadable(request, limits);
  if (unreadable) return unreadable;
  if (!facts) return notFound();
  if (facts.allow !== undefined && request.method !== 'OPTIONS') {
    return new ApiProblem('method_not_allowed', `The path supports these methods: ${facts.allow}.`);
  }
  return null;
}

function isOriginRefused(request: FastifyRequest, family: RouteFamily): boolean {
  return family === 'v2' && request.headers.origin !== undefined;
}

function originNotAllowed(): ApiProblem {
  return new ApiProblem(
    'origin_not_allowed',
    'Web pages cannot call the /v2 routes: requests with an Origin header are rejected. Use the /v1 routes.',
  );
}

function findUnreadable(request: FastifyRequest, limits: SizeLimits): ApiProblem | null {
  const { raw } = request;
  if (isLonger(raw.url ?? '', limits.urlBytes)) {
    return new ApiProblem('uri_too_long', `The URL is longer than ${limits.urlBytes} bytes.`);
  }
  if (countHeaderBytes(raw.rawHeaders) > limits.headerBytes) {
    return new ApiProblem('headers_too_large', `The request headers are larger than ${limits.headerBytes} bytes.`);
  }
  // Requests whose Host proxies and servers interpret differently can be used for attacks: RFC 9112 section 3.2.
  if (countHosts(raw.rawHeaders) > 1) {
    return new ApiProblem('invalid_parameter', 'The request has several Host headers. Send exactly one.');
  }
  // HTTP/1.0 has neither header: RFC 9112 section 3.2 and RFC 9110 section 10.1.1.
  if (raw.httpVersion !== '1.1') return null;
  if (raw.headers.host === undefined) {
    return new ApiProblem('invalid_parameter', 'The Host header is missing. HTTP/1.1 requires one.');
  }
  const expectation = raw.headers.expect;
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue') {
    return new ApiProblem('expectation_failed', 'The Expect header may only contain 100-continue.');
  }
  return null;
}

/** Whether a URL is longer in UTF-8: a character has at most three bytes, so those of most URLs need not be counted. */
function isLonger(url: string, maxBytes: number): boolean {
  return 3 * url.length > maxBytes && Buffer.byteLength(url) > maxBytes;
}

/** Node keeps only the first in `headers`. @param rawHeaders names and values in turn, as sent */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Size as sent: names, values, the colon and space between them, and the line endings. */
function countHeaderBytes(rawHeaders: readonly string[]): number {
  let bytes = 2 * rawHeaders.length;
  // Node decodes header bytes as Latin-1, so a character is a byte.
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

function writeCommonHeaders(reply: FastifyReply, family: RouteFamily): void {
  reply.header('x-content-type-options', 'nosniff');
  reply.header('x-request-id', reply.request.id);
  if (family !== 'v1') return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
}

function writeAllow(reply: FastifyReply, facts: RouteFacts | null): void {
  if (facts?.allow !== undefined) reply.header('allow', facts.allow);
}

/** @param cost 0 only reads the remaining units */
function chargeFairUse(
  request: FastifyRequest,
  reply: FastifyReply,
  fairUse: FairUse | null,
  cost: number,
): ApiProblem | null {
  if (!fairUse) return null;
  const verdict = fairUse.charge(clientNetwork(request.ip), findInstallationToken(request.headers), cost);
  reply.header('ratelimit-policy', fairUse.policy);
  reply.header('ratelimit', `"address";r=${verdict.remaining};t=${verdict.resetSeconds}`);
  if (verdict.isAllowed) return null;
  reply.header('retry-after', verdict.retryAfterSeconds);
  return new ApiProblem('rate_limited', `Try again in ${verdict.retryAfterSeconds} s.`);
}

/** Also answers CORS preflights, which only /v1 allows. */
function answerOptions(request: FastifyRequest, reply: FastifyReply, family: RouteFamily, allow: string): void {
  if (family === 'v1' && request.headers['access-control-request-method'] !== undefined) {
    reply.header('access-control-allow-methods', allow);
    reply.header('access-control-allow-headers', 'Content-Type, If-None-Match, X-Installation-Token');
    reply.header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
  }
  reply.code(204).send();
}
