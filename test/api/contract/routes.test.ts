import { expect, test } from 'vitest';
import { definitions } from '../../../api/contract/definitions.ts';
import { getRoute, listProblems, routes } from '../../../api/contract/routes.ts';
import { type PlainSchema, toTable } from './schema-notation.ts';
import { queries, routeTable } from './specification-routes.ts';

test('routes are those of the specification, in its order', () => {
  const rows = routes.map((route) => [
    `${route.method} ${route.path}`,
    route.answer,
    route.bodyType ?? null,
    route.cost,
  ]);
  expect(rows).toEqual(routeTable);
  expect(routes.filter((route) => route.path.startsWith('/v2/'))).toHaveLength(21);
});

test('every query is closed and has exactly the parameters of its table', () => {
  for (const route of routes) {
    expect(toTable(route.query as PlainSchema), route.path).toEqual(queries[route.path] ?? {});
    expect(JSON.stringify(route.query), route.path).not.toContain('$ref');
  }
});

test('queries contain the constraints across parameters', () => {
  const box = ['minLat', 'minLon', 'maxLat', 'maxLon'];
  const others = (names: string[]) => Object.fromEntries(names.map((name) => [name, names.filter((n) => n !== name)]));
  const exclude = (...pair: string[]) => ({ not: { type: 'object', required: pair } });
  expect(getRoute('searchStops').query).toMatchObject({ dependentRequired: others(['lat', 'lon']) });
  expect(getRoute('getDepartures').query).toMatchObject({ allOf: [exclude('time', 'pageToken')] });
  expect(getRoute('listDisruptions').query).toMatchObject({
    dependentRequired: { ...others(['lat', 'lon']), radiusMeters: ['lat', 'lon'] },
  });
  expect(getRoute('listVehicles').query).toMatchObject({
    dependentRequired: others(box),
    allOf: box.map((side) => exclude(side, 'journeyRefs')),
  });
  expect(getRoute('getV1Vehicles').query).toMatchObject({
    dependentRequired: others(box),
    allOf: box.map((side) => exclude(side, 'jids')),
  });
  expect(getRoute('getV1Predictions').query).toMatchObject({
    dependentRequired: { ...others(['lat', 'lon']), radius: ['lat', 'lon'] },
    anyOf: [['lat', 'lon'], ['line'], ['jid'], ['jids']].map((required) => ({ required })),
  });
});

test('responses and bodies are types of the contract, and bodies are published', () => {
  for (const route of routes) {
    for (const name of [route.answer, ...Object.values(route.otherAnswers ?? {})]) {
      if (name !== null) expect(Object.keys(definitions), route.path).toContain(name);
    }
    expect(route.body, route.path).toBe(route.bodyType === undefined ? undefined : definitions[route.bodyType]);
  }
});

test('path parameters are those in braces', () => {
  for (const route of routes) {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(Object.keys(route.params?.properties ?? {}), route.path).toEqual(inPath);
  }
});

test('operation ids are unique, and an unknown one throws', () => {
  expect(new Set(routes.map((route) => route.operationId)).size).toBe(routes.length);
  expect(getRoute('getDepartures').path).toBe('/v2/stops/{id}/departures');
  expect(() => getRoute('getDeparture')).toThrow('getDeparture');
});

test('only cacheable responses have a max-age', () => {
  for (const route of routes) {
    const isKept = route.method === 'GET' && !['/v1/health', '/v1/status'].includes(route.path);
    expect(route.cacheControl, route.path).toMatch(isKept ? /^public, max-age=\d+$/ : /^no-store$/);
  }
});

test.each([
  ['getMeta', ['unknown_parameter', 'origin_not_allowed', 'rate_limited'], ['invalid_parameter', 'invalid_body']],
  ['getDepartures', ['invalid_parameter', 'unknown_stop', 'timetable_unavailable'], ['invalid_body', 'no_path']],
  ['planFootpath', ['invalid_body', 'payload_too_large', 'no_path', 'origin_not_allowed'], ['invalid_parameter']],
  ['getV1Metro', ['source_standby', 'unknown_station', 'invalid_parameter'], ['origin_not_allowed']],
  ['getV1Predictions', ['missing_query'], ['origin_not_allowed']],
] as const)('%s answers its own problems and those of its kind', (operationId, included, excluded) => {
  const problems = listProblems(getRoute(operationId));
  expect(problems).toEqual(expect.arrayContaining([...included]));
  for (const code of excluded) expect(problems).not.toContain(code);
  expect(new Set(problems).size).toBe(problems.length);
});
