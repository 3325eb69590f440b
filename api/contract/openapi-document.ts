import type { TSchema } from 'typebox';
import { CONTRACT_VERSION, definitions } from './definitions.ts';
import { bodyExamples, parameterExamples } from './examples.ts';
import { type ProblemCode, problems } from './problems.ts';
import { publishSchema } from './publish-schema.ts';
import type { RouteContract } from './route-contract.ts';
import { listProblems, routes } from './routes.ts';
import { describeRules } from './schema-sentences.ts';

type Json = Record<string, unknown>;

/** Where OpenAPI keeps named types. */
const SCHEMAS = '#/components/schemas/';

const DESCRIPTION = `Departures, arrivals, journeys, trips, disruptions, vehicles, predictions and punctuality of public transport in Austria.

The /v1 routes are open to everyone and may be called from web pages. The /v2 routes serve apps: requests with an Origin header are rejected. Unknown query parameters and unknown members of bodies are rejected by name. Errors are problem details (RFC 9457) with a stable code.

Lists in a query are separated by commas; a comma or a percent sign within an item is percent-encoded twice. A plus sign is literal, not a space.`;

/**
 * The OpenAPI 3.1 document of `GET /openapi.json`: all routes of v1 and v2 from the route table.
 * @param options.baseUrl address of the service; without it, the address of the document
 * @param options.credits attribution of the data, one sentence each
 */
export function buildOpenApiDocument(options: { baseUrl?: string; credits?: readonly string[] } = {}) {
  const { credits = [] } = options;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Taktgeber',
      version: CONTRACT_VERSION,
      description: [DESCRIPTION, ...(credits.length > 0 ? [credits.join('\n\n')] : [])].join('\n\n'),
      contact: { name: 'Operator of this service', url: options.baseUrl ?? '/' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // No route needs credentials.
    security: [],
    servers: [{ url: options.baseUrl ?? '/' }],
    tags: [
      { name: 'v2', description: 'The app contract.' },
      { name: 'v1', description: 'Open routes.' },
    ],
    paths: buildPaths(),
    components: {
      schemas: Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, publishType(schema)])),
      parameters: { InstallationToken: installationToken, RequestId: requestId },
      headers,
    },
  };
}

/**
 * A named type, in a form from which clients can be generated. A type that is one of several is written as `oneOf`, since none
 * of them has values of another: from `anyOf`, generators for Kotlin and Swift make one type with the members of all. Patterns
 * with a slash are left out: the generator for Swift writes it as an escape sequence that the language does not have.
 */
function publishType(schema: TSchema): Json {
  const published = JSON.stringify(publishSchema(schema, SCHEMAS));
  const { anyOf, ...rest } = JSON.parse(published, (key, value: unknown) =>
    isSlashPattern(key, value) ? undefined : value,
  );
  return anyOf === undefined ? rest : { ...rest, oneOf: anyOf };
}

const isSlashPattern = (key: string, value: unknown) =>
  key === 'pattern' && typeof value === 'string' && value.includes('/');

function buildPaths(): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: buildOperation(route) };
  }
  return paths;
}

function buildOperation(route: RouteContract): Json {
  const isV2 = route.path.startsWith('/v2/');
  const parameters = [
    ...buildParameters(route.params?.properties ?? {}, 'path', true),
    ...buildParameters(route.query.properties, 'query', false, route.query.required as readonly string[] | undefined),
    ...(isV2 ? [{ $ref: '#/components/parameters/InstallationToken' }] : []),
    { $ref: '#/components/parameters/RequestId' },
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [...describeRules(route.query), describeCost(route), describeCaching(route)].join(' '),
    tags: [isV2 ? 'v2' : 'v1'],
    parameters,
    ...(route.bodyType ? { requestBody: buildBody(route.bodyType) } : {}),
    responses: { ...buildGoodResponses(route), ...buildProblemResponses(route) },
  };
}

function describeCost({ cost }: RouteContract): string {
  if (cost === 0) return 'Free of fair use.';
  return `Costs ${cost} ${cost === 1 ? 'unit' : 'units'} of fair use.`;
}

function describeCaching({ cacheControl }: RouteContract): string {
  const seconds = /max-age=(\d+)/.exec(cacheControl)?.[1];
  return seconds === undefined ? 'The response is never cached.' : `The response may be cached for ${seconds} seconds.`;
}

function buildBody(typeName: string): Json {
  const { 'application/json': content } = jsonContent(typeName);
  return { required: true, content: { 'application/json': { ...content, example: bodyExamples[typeName] } } };
}

// ---- Parameters --------------------------------------------------------------------------------

// The headers have no pattern: a value of another form is ignored, not rejected.

const installationToken = {
  name: 'X-Installation-Token',
  in: 'header',
  required: false,
  description:
    'Chosen by the app, one per installation; separates the devices behind one IP address for fair use. 8 to 128 letters, digits, `.`, `_` or `-`; any other value is ignored.',
  schema: { type: 'string' },
  example: parameterExamples['X-Installation-Token'],
};

const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Set by a proxy of the operator, whose id is taken over; of any other client, and in any other form, it is ignored.',
  schema: { type: 'string' },
  example: parameterExamples['X-Request-Id'],
};

function buildParameters(
  members: Readonly<Record<string, TSchema>>,
  place: 'path' | 'query',
  areAllRequired: boolean,
  required: readonly string[] = [],
): Json[] {
  return Object.entries(members).map(([name, member]) => {
    const { description, ...schema } = publishSchema(member, SCHEMAS) as Json;
    return {
      name,
      in: place,
      required: areAllRequired || required.includes(name),
      ...(description === undefined ? {} : { description }),
      // A list is one comma-separated parameter, unlike the default of OpenAPI.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema,
      example: parameterExamples[name],
    };
  });
}

// ---- Responses ---------------------------------------------------------------------------------

/** Headers of every response. */
const commonHeaders = ['X-Request-Id'];
const standardHeaders = ['Data-Version', 'RateLimit', 'RateLimit-Policy', ...commonHeaders];

const headers = {
  ETag: { description: 'Changes when the answer does; send it back as If-None-Match.', schema: { type: 'string' } },
  'Data-Version': {
    description: 'The timetable and realtime snapshots used for the response.',
    schema: { type: 'string' },
  },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
  RateLimit: { description: 'Rest of the quota; absent without fair use.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The quota; absent without fair use.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  'X-Request-Id': {
    description: 'Identifies the request in the log of the service; quote it in problem reports.',
    schema: { type: 'string' },
  },
};

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const jsonContent = (typeName: string, mediaType = 'application/json') => ({
  [mediaType]: { schema: { $ref: `#/components/schemas/${typeName}` } },
});

function buildGoodResponses(route: RouteContract): Record<string, Json> {
  const isTagged = route.method === 'GET' && route.cacheControl !== 'no-store';
  const good = {
    description: 'OK',
    headers: headerRefs([...standardHeaders, 'Cache-Control', ...(isTagged ? ['ETag'] : [])]),
    content: buildContent(route),
  };
  const unchanged = {
    description: 'Not modified since If-None-Match.',
    headers: headerRefs(['ETag', ...commonHeaders]),
  };
  return isTagged ? { 200: good, 304: unchanged } : { 200: good };
}

function buildContent(route: RouteContract): Json {
  const entries = route.answerMediaTypes.map((mediaType): [string, Json] => {
    if (mediaType === 'application/json' && route.answer) return [mediaType, jsonContent(route.answer)[mediaType]!];
    return [mediaType, { schema: mediaType.endsWith('json') ? { type: 'object' } : {} }];
  });
  return Object.fromEntries(entries);
}

function buildProblemResponses(route: RouteContract): Record<string, Json> {
  const codes = listProblems(route);
  const ofCodes = codes.map((code) => problems[code].status);
  const ofAnswers = Object.keys(route.otherAnswers ?? {}).map(Number);
  const responses = [...new Set<number>([...ofCodes, ...ofAnswers])].map((status): [number, Json] => {
    const codesOfStatus = codes.filter((code) => problems[code].status === status);
    return [status, buildProblemResponse(codesOfStatus, route.otherAnswers?.[status])];
  });
  return Object.fromEntries(responses);
}

function buildProblemResponse(codes: readonly ProblemCode[], otherAnswer: string | undefined): Json {
  const lines = codes.map((code) => `\`${code}\`: ${problems[code].title}.`);
  const mayRetry = codes.some((code) => problems[code].status === 429 || problems[code].status === 503);
  return {
    description: [...(otherAnswer ? [`A response of type ${otherAnswer}.`] : []), ...lines].join('\n'),
    headers: headerRefs([...standardHeaders.slice(1), ...(mayRetry ? ['Retry-After'] : [])]),
    content: {
      ...(otherAnswer ? jsonContent(otherAnswer) : {}),
      ...(codes.length > 0 ? jsonContent('Problem', 'application/problem+json') : {}),
    },
  };
}
