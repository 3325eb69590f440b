import { describe, expect, test } from 'vitest';
import { bodyExamples, parameterExamples } from '../../../api/contract/examples.ts';
import { buildOpenApiDocument } from '../../../api/contract/openapi-document.ts';
import { routes } from '../../../api/contract/routes.ts';
import { buildSchemaDocument } from '../../../api/contract/schema-document.ts';
import { findFlaw } from '../../../api/contract/validation.ts';

type Json = Record<string, unknown>;

/** All schemas within a document, with their paths. */
function* walk(value: unknown, path: string): Generator<[path: string, node: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  // What a rule excludes needs no description.
  for (const [key, part] of Object.entries(value)) if (key !== 'not') yield* walk(part, `${path}/${key}`);
}

const schemas = JSON.parse(JSON.stringify(buildSchemaDocument().$defs)) as Record<string, Json>;
const openapi = JSON.parse(JSON.stringify(buildOpenApiDocument()));

describe('for the reader of a generated client', () => {
  const properties = [...walk(schemas, '')].flatMap(([path, node]) =>
    typeof node.properties === 'object'
      ? Object.entries(node.properties as Record<string, Json>).map(
          ([name, member]) => [`${path}/${name}`, member] as const,
        )
      : [],
  );

  test('every property of every type has a distinct description', () => {
    expect(properties.length).toBeGreaterThan(250);
    const silent = properties.filter(([, member]) => !/^\S.*[.:]$/s.test(String(member.description ?? '')));
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  test('every parameter has a description and an example', () => {
    const parameters = Object.entries<Record<string, { parameters: Json[] }>>(openapi.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap((operation) => operation.parameters.map((parameter) => [path, parameter] as const)),
    );
    const named = parameters.filter(([, parameter]) => parameter.$ref === undefined);
    expect(named.length).toBeGreaterThan(50);
    const silent = [...named, ['components', openapi.components.parameters.InstallationToken] as const].filter(
      ([, { description, example }]) => typeof description !== 'string' || example === undefined,
    );
    expect(silent.map(([path, { name }]) => `${path} ${name}`)).toEqual([]);
  });

  test('no optional request member has a default, which generators would treat as always present', () => {
    for (const [path, node] of walk(openapi.components.schemas, '')) expect(node, path).not.toHaveProperty('default');
  });

  test('descriptions state the default of omitted members', () => {
    const { limit } = schemas.TripRequest!.properties as Record<string, Json>;
    expect(limit).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 6,
      description:
        'Maximum number of trips of a page; a page may have fewer if time is short, with a reference to the next. Absent: 4.',
    });
  });

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'the examples of %s are accepted',
    (_name, { query, params, body, bodyType }) => {
      for (const [name, schema] of Object.entries({ ...params?.properties, ...query.properties })) {
        expect([name, findFlaw(schema, parameterExamples[name])]).toEqual([name, null]);
      }
      if (body && bodyType) expect(findFlaw(body, bodyExamples[bodyType])).toBeNull();
    },
  );

  test('every example belongs to a parameter or a body', () => {
    const names = routes.flatMap(({ query, params }) => Object.keys({ ...params?.properties, ...query.properties }));
    expect(Object.keys(parameterExamples).sort()).toEqual(
      [...new Set([...names, 'X-Installation-Token', 'X-Request-Id'])].sort(),
    );
    const bodies = routes.flatMap(({ bodyType }) => bodyType ?? []);
    expect(Object.keys(bodyExamples).sort()).toEqual([...new Set(bodies)].sort());
  });
});
