import '@hyperjump/json-schema/formats';
import { setShouldValidateFormat, type Validator, validate } from '@hyperjump/json-schema/draft-2020-12';
import { validate as validateOpenApi } from '@hyperjump/json-schema/openapi-3-1';
import { describe, expect, test } from 'vitest';
import { buildOpenApiDocument } from '../../../api/contract/openapi-document.ts';
import { problems } from '../../../api/contract/problems.ts';
import { listProblems, routes } from '../../../api/contract/routes.ts';
import { buildSchemaDocument } from '../../../api/contract/schema-document.ts';
import { listAnonymousObjects } from '../../support/checks/anonymous-objects.ts';

setShouldValidateFormat(true);

type Json = Parameters<Validator>[0];
const asSent = (document: unknown) => JSON.parse(JSON.stringify(document));

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters: readonly { $ref?: string; name?: string; in?: string; required?: boolean; explode?: boolean }[];
  readonly requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  readonly responses: Record<string, { description: string; headers: object; content?: Record<string, unknown> }>;
}

describe('the schema document', () => {
  const document = asSent(buildSchemaDocument());

  test('is valid against the meta-schema of draft 2020-12', async () => {
    expect(await validate('https://json-schema.org/draft/2020-12/schema', document as Json)).toEqual({ valid: true });
  });

  test('names its draft and the version of the contract', () => {
    expect(document).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:taktgeber:contract:1.26.0',
      version: '1.26.0',
    });
  });
});

describe('the OpenAPI document', () => {
  const document = asSent(
    buildOpenApiDocument({ baseUrl: 'https://api.example.org', credits: ['Data of x: Land.', 'Ways: Y.'] }),
  );
  const getOperation = (path: string, method: string): Operation => document.paths[path][method.toLowerCase()];

  test('is valid against the meta-schema of OpenAPI 3.1, its schemas included', async () => {
    const output = await validateOpenApi('https://spec.openapis.org/oas/3.1/schema-base', document as Json, 'BASIC');
    expect(output).toEqual({ valid: true });
  });

  test('is refused by that meta-schema if it is damaged', async () => {
    const damaged = structuredClone(document);
    damaged.paths['/v2/stops'].get.parameters[0].in = 'body';
    const output = await validateOpenApi('https://spec.openapis.org/oas/3.1/schema-base', damaged as Json);
    expect(output.valid).toBe(false);
  });

  test('every reference has a target in the document', () => {
    const targets = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!);
    expect(targets.length).toBeGreaterThan(100);
    for (const target of new Set(targets)) {
      expect(target).toMatch(/^#\/components\//);
      const found = target
        .slice(2)
        .split('/')
        .reduce((place, key) => place?.[key], document);
      expect(found, target).toBeDefined();
    }
  });

  test('has exactly the routes of the table', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.sort()).toEqual(routes.map((route) => `${route.method} ${route.path}`).sort());
  });

  test('has the schemas of the schema document, those with a choice of types as oneOf, without patterns with a slash', () => {
    const renamed = JSON.stringify(buildSchemaDocument().$defs).replaceAll('#/$defs/', '#/components/schemas/');
    const schemas: Record<string, Record<string, unknown>> = JSON.parse(renamed, (key, value) =>
      key === 'pattern' && String(value).includes('/') ? undefined : value,
    );
    const expected = Object.entries(schemas).map(([name, { anyOf, ...rest }]) => [
      name,
      anyOf === undefined ? rest : { ...rest, oneOf: anyOf },
    ]);
    expect(document.components.schemas).toEqual(Object.fromEntries(expected));
    expect(expected.flatMap(([name, schema]) => ('oneOf' in (schema as object) ? [name] : []))).toEqual([
      'Place',
      'Delivery',
    ]);
  });

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
    const operation = getOperation(route.path, route.method);
    const isV2 = route.path.startsWith('/v2/');
    expect(operation.operationId).toBe(route.operationId);
    const named = operation.parameters.map((parameter) => parameter.name).filter((name) => name !== undefined);
    expect(named).toEqual([...Object.keys(route.params?.properties ?? {}), ...Object.keys(route.query.properties)]);
    const hasToken = operation.parameters.some(({ $ref }) => $ref === '#/components/parameters/InstallationToken');
    expect(hasToken).toBe(isV2);
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/RequestId' });
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      expect(headers, status).toHaveProperty('X-Request-Id');
    }
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
    expect(Object.keys(operation.responses['200']!.content!)).toEqual(route.answerMediaTypes);
    for (const code of listProblems(route)) {
      const response = operation.responses[problems[code].status]!;
      expect(response.description).toContain(`\`${code}\``);
      expect(response.content).toHaveProperty(['application/problem+json']);
    }
  });

  test('has a name for every object with members, so that generated clients have the same types everywhere', () => {
    const schemas = Object.entries(document.components.schemas);
    expect(schemas.length).toBeGreaterThan(50);
    expect(schemas.flatMap(([name, schema]) => listAnonymousObjects(schema, name))).toEqual([]);
    const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>);
    for (const [path, methods] of operations) {
      for (const { responses, requestBody, parameters } of Object.values(methods)) {
        const contents = [...Object.values(responses).map(({ content }) => content), requestBody?.content];
        const places = [...parameters, ...contents.flatMap((content) => Object.values(content ?? {}))];
        const schemas = (places as { schema?: object }[]).map(({ schema }) => schema);
        expect(listAnonymousObjects({ prefixItems: schemas }, path)).toEqual([]);
      }
    }
  });

  test.each([
    ['a member', { properties: { a: { properties: {} } } }, ['X.a']],
    ['an item', { properties: { a: { items: { properties: {} } } } }, ['X.a.items']],
    [
      'a choice',
      { anyOf: [{ $ref: '#/a' }, { properties: { b: { properties: {} } } }] },
      ['X.anyOf[1]', 'X.anyOf[1].b'],
    ],
    ['values by key', { additionalProperties: { properties: {} } }, ['X.additionalProperties']],
    ['no value', { allOf: [{ not: { properties: {} } }], properties: { a: { $ref: '#/a' } } }, []],
  ])('finds an anonymous object of %s', (_, schema, paths) => {
    expect(listAnonymousObjects(schema, 'X')).toEqual(paths);
  });

  test('names its server, licence and data credits', () => {
    expect(document.servers).toEqual([{ url: 'https://api.example.org' }]);
    expect(buildOpenApiDocument().servers).toEqual([{ url: '/' }]);
    expect(document.info.contact).toEqual({ name: 'Operator of this service', url: 'https://api.example.org' });
    expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
    expect(document.info.description).toMatch(/not a space\.\n\nData of x: Land\.\n\nWays: Y\.$/);
    expect(buildOpenApiDocument().info.description).toMatch(/not a space\.$/);
  });

  test('distinguishes required, optional and list parameters', () => {
    const byName = (path: string) =>
      Object.fromEntries(getOperation(path, 'GET').parameters.map((parameter) => [parameter.name, parameter]));
    expect(byName('/v2/stops')).toMatchObject({ query: { required: true }, limit: { required: false } });
    expect(byName('/v2/stops')).toMatchObject({ kinds: { style: 'form', explode: false } });
    expect(byName('/v2/journeys/{ref}')).toMatchObject({ ref: { in: 'path', required: true } });
  });

  test('describes constraints across parameters', () => {
    expect(getOperation('/v2/stops/{id}/departures', 'GET').description).toBe(
      '"time" and "pageToken" exclude each other. Costs 1 unit of fair use. The response may be cached for 15 seconds.',
    );
    expect(getOperation('/v1/predictions', 'GET').description).toBe(
      'Needs "lat" with "lon", "line", "jid" or "jids". "lat", "lon" must be given together. "radius" needs "lat" and "lon". Costs 1 unit of fair use. The response may be cached for 15 seconds.',
    );
    expect(getOperation('/v1/health', 'GET').description).toBe('Free of fair use. The response is never cached.');
    expect(getOperation('/v2/trips', 'POST').description).toBe(
      'Costs 4 units of fair use. The response is never cached.',
    );
  });

  test('lists standard headers where they are sent', () => {
    const board = getOperation('/v2/stops/{id}/departures', 'GET').responses;
    const all = ['Data-Version', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id', 'Cache-Control', 'ETag'];
    expect(Object.keys(board['200']!.headers)).toEqual(all);
    expect(Object.keys(board['304']!.headers)).toEqual(['ETag', 'X-Request-Id']);
    expect(Object.keys(board['429']!.headers)).toContain('Retry-After');
    expect(Object.keys(board['404']!.headers)).not.toContain('Retry-After');
    const trips = getOperation('/v2/trips', 'POST').responses;
    expect(Object.keys(trips['200']!.headers)).not.toContain('ETag');
    expect(trips).not.toHaveProperty('304');
  });

  test('allows a health report or a problem from an unhealthy service', () => {
    const unhealthy = getOperation('/v1/health', 'GET').responses['503']!;
    expect(Object.keys(unhealthy.content!)).toEqual(['application/json', 'application/problem+json']);
  });
});
