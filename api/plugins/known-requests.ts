import type { FastifyRequest } from 'fastify';
import { createRecentMap, type RecentMap, rememberPerObject } from '../../pipeline/model/recent-map.ts';
import { ApiProblem } from '../contract/problems.ts';
import { readBody } from '../contract/read-body.ts';
import { readQuery } from '../contract/read-query.ts';
import type { RouteContract } from '../contract/route-contract.ts';
import { chooseMediaType } from './accepted-media-type.ts';
import { createDoorkeeper } from './doorkeeper.ts';
import { buildEntityTag } from './entity-tag.ts';
import type { QueryValues, RouteRequest } from './route-handler.ts';

type Input = Pick<RouteRequest<never>, 'params' | 'query' | 'body' | 'mediaType'>;

/** A request as its target describes it. */
interface KnownRequest {
  readonly input: Input;
  /** The entity tag for the state of everything else; the last one is remembered. */
  readTag(state: readonly (string | number | null | undefined)[]): string;
}

/** Longer targets are parsed each time, so that those remembered take little memory. */
const MAX_KNOWN_CHARACTERS = 500;
/** Targets that are remembered. */
const KNOWN_REQUESTS = 5000;

export type KnownRequests = RecentMap<string, KnownRequest>;

/** Remembers a target from its second request on: most boards with a time are requested once. */
export function createKnownRequests(): KnownRequests {
  const requests = createRecentMap<string, KnownRequest>(KNOWN_REQUESTS);
  const doorkeeper = createDoorkeeper();
  return {
    get: requests.get,
    set(target, request) {
      if (doorkeeper.sawBefore(target)) requests.set(target, request);
    },
  };
}

/**
 * Reads a request without a body, or finds it by its target.
 * @throws ApiProblem as `readRequest`
 */
export function readKnownRequest(route: RouteContract, request: FastifyRequest, requests: KnownRequests): KnownRequest {
  const accept = route.answerMediaTypes.length > 1 ? request.headers.accept : undefined;
  const key = accept === undefined ? request.url : `${request.url} ${accept}`;
  const known = requests.get(key);
  if (known) return known;
  const read = readRequest(route, request);
  if (key.length <= MAX_KNOWN_CHARACTERS) requests.set(key, read);
  return read;
}

/** @throws ApiProblem for invalid parameters or an invalid body */
export function readRequest(route: RouteContract, request: FastifyRequest): KnownRequest {
  const input = readInput(route, request);
  let last: { readonly state: readonly unknown[]; readonly tag: string } | null = null;
  return {
    input,
    readTag(state) {
      const isSame = last?.state.every((value, i) => value === state[i]);
      if (!last || !isSame) last = { state, tag: buildEntityTag([...state, route.path, input]) };
      return last.tag;
    },
  };
}

function readInput(route: RouteContract, request: FastifyRequest): Input {
  const params = request.params as Input['params'];
  const query = sortMembers(route, readQuery(route.query, (request.query as RawQuery).text, route.continuation));
  const mediaType = chooseMediaType(request.headers.accept, route.answerMediaTypes);
  if (!route.body) return { params, query, body: undefined, mediaType };
  if (request.body === undefined) throw new ApiProblem('invalid_body', 'This route needs a request body.');
  return { params, query, body: readBody(route.body, request.body), mediaType };
}

/** Sorts parameters, so that their order affects neither the entity tag nor the handler. */
function sortMembers({ query: { properties } }: RouteContract, query: QueryValues): QueryValues {
  const sorted: Record<string, unknown> = {};
  for (const name of sortNames(properties)) {
    if (Object.hasOwn(query, name)) sorted[name] = query[name];
  }
  return sorted;
}

/** Sorted once, because every request that is not known needs them. */
const sortNames = rememberPerObject((properties: object) => Object.keys(properties).sort());

/** The query as parsed by the router: unvalidated, because the contract alone validates it. */
interface RawQuery {
  readonly text: string;
}
