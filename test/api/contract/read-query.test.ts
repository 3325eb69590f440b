import fc from 'fast-check';
import type { TObject } from 'typebox';
import { describe, expect, test } from 'vitest';
import { Type } from '../../../api/contract/json-schema.ts';
import { ApiProblem } from '../../../api/contract/problems.ts';
import { readQuery } from '../../../api/contract/read-query.ts';
import { routes } from '../../../api/contract/routes.ts';
import { closed, defaulted } from '../../../api/contract/schema-builders.ts';
import { v1MetroQuery, v1PredictionsQuery, v1VehiclesQuery } from '../../../api/contract/v1-queries.ts';
import {
  departuresQuery,
  disruptionsQuery,
  historyQuery,
  nearbyQuery,
  noQuery,
  stopsQuery,
  vehiclesQuery,
} from '../../../api/contract/v2-queries.ts';

function refusal(schema: TObject, rawQuery: string) {
  try {
    readQuery(schema, rawQuery);
  } catch (error) {
    if (error instanceof ApiProblem) return error;
    throw error;
  }
  throw new Error(`"${rawQuery}" was not refused`);
}

const boardDefaults = { durationMinutes: 60, limit: 30 };

describe('accepted queries', () => {
  test.each<[string, TObject, string, object]>([
    ['nothing', noQuery, '', {}],
    ['defaults', departuresQuery, '', boardDefaults],
    ['empty pairs', departuresQuery, '&&limit=3&', { ...boardDefaults, limit: 3 }],
    ['an encoded name', departuresQuery, '%6Cimit=3', { ...boardDefaults, limit: 3 }],
    ['a text with an equals sign', departuresQuery, 'pageToken=a=b', { ...boardDefaults, pageToken: 'a=b' }],
    ['UTF-8', stopsQuery, 'query=Landstra%C3%9Fe', { query: 'Landstraße', limit: 10 }],
    ['UTF-8 as the bytes of a request line', stopsQuery, 'query=Landstra\xc3\x9fe', { query: 'Landstraße', limit: 10 }],
    [
      'characters, not code units',
      stopsQuery,
      `query=${'%F0%9F%9A%8B'.repeat(100)}`,
      { query: '🚋'.repeat(100), limit: 10 },
    ],
    ['a plus as a plus', stopsQuery, 'query=a+b%20c', { query: 'a+b c', limit: 10 }],
    ['numbers', nearbyQuery, 'lat=48.2&lon=-0.5', { lat: 48.2, lon: -0.5, radiusMeters: 1000, limit: 20 }],
    ['a list', departuresQuery, 'lines=U1,13A', { ...boardDefaults, lines: ['U1', '13A'] }],
    ['a list with its commas encoded', departuresQuery, 'lines=U1%2C13A', { ...boardDefaults, lines: ['U1', '13A'] }],
    ['a comma inside of an item', departuresQuery, 'lines=a%252Cb,c', { ...boardDefaults, lines: ['a,b', 'c'] }],
    ['a percent sign inside of an item', departuresQuery, 'lines=5%2525', { ...boardDefaults, lines: ['5%'] }],
    ['umlauts inside of an item', departuresQuery, 'lines=%C3%96BB', { ...boardDefaults, lines: ['ÖBB'] }],
    ['time in Z', departuresQuery, 'time=2025-03-30T01:00:00Z', { ...boardDefaults, time: '2025-03-30T01:00:00Z' }],
    [
      'any offset',
      departuresQuery,
      'time=2025-03-30T01:00:00-05:30',
      { ...boardDefaults, time: '2025-03-30T01:00:00-05:30' },
    ],
    ['a date', historyQuery, 'from=2024-02-29', { from: '2024-02-29' }],
    ['a position without radius', v1PredictionsQuery, 'lat=48&lon=16', { lat: 48, lon: 16, limit: 50 }],
    [
      'a box',
      v1VehiclesQuery,
      'minLat=48&minLon=16&maxLat=49&maxLon=17',
      { minLat: 48, minLon: 16, maxLat: 49, maxLon: 17, limit: 500 },
    ],
  ])('%s', (_, schema, rawQuery, expected) => {
    expect(readQuery(schema, rawQuery)).toEqual(expected);
  });
});

describe('refused queries', () => {
  test.each<[TObject, string, string, string | undefined]>([
    [noQuery, 'x=1', 'unknown_parameter', 'x'],
    [departuresQuery, 'limits=1', 'unknown_parameter', 'limits'],
    [departuresQuery, 'Limit=1', 'unknown_parameter', 'Limit'],
    [departuresQuery, '=1', 'unknown_parameter', ''],
    [departuresQuery, 'lines[]=U1', 'unknown_parameter', 'lines[]'],
    [departuresQuery, '__proto__=1', 'unknown_parameter', '__proto__'],
    [departuresQuery, 'constructor=1', 'unknown_parameter', 'constructor'],
    [departuresQuery, 'toString', 'unknown_parameter', 'toString'],
    [departuresQuery, 'hasOwnProperty=1&limit=x', 'unknown_parameter', 'hasOwnProperty'],
    [departuresQuery, 'limit=1&limit=1', 'invalid_parameter', 'limit'],
    [departuresQuery, 'limit=1&%6Cimit=1', 'invalid_parameter', 'limit'],
    [departuresQuery, 'lines=U1&lines=U2', 'invalid_parameter', 'lines'],
    ...['', '0', '201', '1.5', '5.0', '1e3', '+5', '0x10', ' 5', '5 ', '%205', 'NaN', 'Infinity', '१'].map(
      (text): [TObject, string, string, string] => [departuresQuery, `limit=${text}`, 'invalid_parameter', 'limit'],
    ),
    [departuresQuery, 'limit', 'invalid_parameter', 'limit'],
    ...['', '.5', '5.', '1e1', 'NaN', '-91', '--1', '1'.repeat(400)].map((text): [TObject, string, string, string] => [
      nearbyQuery,
      `lon=16&lat=${text}`,
      'invalid_parameter',
      'lat',
    ]),
    [disruptionsQuery, 'offset=9007199254740992', 'invalid_parameter', 'offset'],
    [departuresQuery, 'limit=%zz', 'invalid_parameter', 'limit'],
    [departuresQuery, 'pageToken=%', 'invalid_parameter', 'pageToken'],
    [stopsQuery, 'query=%FF', 'invalid_parameter', 'query'],
    [stopsQuery, 'query=\xff', 'invalid_parameter', 'query'],
    [departuresQuery, '%ff=1', 'invalid_parameter', '%ff'],
    [departuresQuery, 'lines=', 'invalid_parameter', 'lines'],
    [departuresQuery, 'lines=U1,,U2', 'invalid_parameter', 'lines'],
    [departuresQuery, 'lines=U1,', 'invalid_parameter', 'lines'],
    [departuresQuery, 'lines=100%25', 'invalid_parameter', 'lines'],
    [departuresQuery, 'products=subway,bus', 'invalid_parameter', 'products'],
    [departuresQuery, 'time=2025-03-30', 'invalid_parameter', 'time'],
    [departuresQuery, 'time=2025-02-30T00:00:00Z', 'invalid_parameter', 'time'],
    [departuresQuery, 'time=2025-03-30T01:00:00Z&pageToken=x', 'invalid_parameter', 'pageToken'],
    [historyQuery, 'to=2025-02-29', 'invalid_parameter', 'to'],
    [historyQuery, 'to=20250228', 'invalid_parameter', 'to'],
    [stopsQuery, '', 'invalid_parameter', 'query'],
    [stopsQuery, 'query=', 'invalid_parameter', 'query'],
    [stopsQuery, `query=${'a'.repeat(101)}`, 'invalid_parameter', 'query'],
    [stopsQuery, 'query=x&lat=48', 'invalid_parameter', 'lon'],
    [nearbyQuery, 'lat=48', 'invalid_parameter', 'lon'],
    [disruptionsQuery, 'radiusMeters=5', 'invalid_parameter', 'lat'],
    [vehiclesQuery, 'minLat=48&minLon=16&maxLat=49', 'invalid_parameter', 'maxLon'],
    [vehiclesQuery, 'minLat=4&minLon=1&maxLat=4&maxLon=1&journeyRefs=a', 'invalid_parameter', 'journeyRefs'],
    [v1MetroQuery, '', 'invalid_parameter', 'diva'],
    [v1PredictionsQuery, '', 'missing_query', undefined],
    [v1PredictionsQuery, 'limit=5', 'missing_query', undefined],
    [v1PredictionsQuery, 'lat=48', 'missing_query', undefined],
    [v1PredictionsQuery, 'line=U1&lat=48', 'invalid_parameter', 'lon'],
    [v1PredictionsQuery, `jids=${Array(41).fill('a').join()}`, 'invalid_parameter', 'jids'],
  ])('%# %j', (schema, rawQuery, code, parameter) => {
    const problem = refusal(schema, rawQuery);
    expect([problem.code, problem.parameter]).toEqual([code, parameter]);
  });
});

test.each<[TObject, string, string]>([
  [noQuery, 'x=1', '"x" is not a parameter; this route takes no parameters.'],
  [nearbyQuery, 'x=1', '"x" is not a parameter; this route takes lat, lon, stopId, radiusMeters, limit.'],
  [departuresQuery, 'limit=0', '"limit" must be a whole number from 1 to 200.'],
  [departuresQuery, 'limit=1&limit=2', '"limit" is given twice. Send a list as one parameter, separated by commas.'],
  [departuresQuery, 'lines=a,', 'Item 2 of "lines" must be a text of 1 to 200 characters.'],
  [stopsQuery, 'query=a&kinds=x', 'Item 1 of "kinds" must be one of "station", "poi" or "address".'],
  [departuresQuery, 'time=now', '"time" must be a time like 2025-03-30T14:05:00+02:00.'],
  [nearbyQuery, 'lat=1', '"lon" is missing beside "lat"; it must be a number from -180 to 180.'],
  [stopsQuery, 'query=a&lon=1', '"lat" is missing beside "lon"; it must be a number from -90 to 90.'],
  [v1PredictionsQuery, '', 'The request needs "lat" with "lon", "line", "jid" or "jids".'],
])('%# %j is refused with one sentence', (schema, rawQuery, detail) => {
  expect(refusal(schema, rawQuery).message).toBe(detail);
});

test('cuts long names in error texts', () => {
  const problem = refusal(noQuery, 'x'.repeat(20_000));
  expect(problem.parameter).toHaveLength(100);
  expect(problem.message.length).toBeLessThan(300);
});

test('returns copies of defaults, so that changes do not affect the schema', () => {
  const schema = closed({ tags: defaulted(Type.Array(Type.String()), ['a']) });
  readQuery(schema, '').tags.push('b');
  expect(readQuery(schema, '')).toEqual({ tags: ['a'] });
});

// ---- Properties --------------------------------------------------------------------------------

const everything = closed({
  text: Type.Optional(Type.String({ minLength: 1 })),
  whole: Type.Optional(Type.Integer({ minimum: -1e15, maximum: 1e15 })),
  fraction: Type.Optional(Type.Number()),
  flag: Type.Optional(Type.Boolean()),
  texts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 20 })),
  numbers: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 99 }), { minItems: 1, maxItems: 20 })),
});

const anyText = fc.string({ minLength: 1, unit: 'grapheme' });
const anyValues = fc.record(
  {
    text: anyText,
    whole: fc.integer({ min: -1e15, max: 1e15 }),
    fraction: fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1000 + 0),
    flag: fc.boolean(),
    texts: fc.array(anyText, { minLength: 1, maxLength: 20 }),
    numbers: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 20 }),
  },
  { requiredKeys: [] },
);

function encode(value: unknown): string {
  if (Array.isArray(value)) return encodeURIComponent(value.map(encode).join(','));
  return encodeURIComponent(String(value));
}

test('round-trips encoded queries', () => {
  fc.assert(
    fc.property(anyValues, (values) => {
      const rawQuery = Object.entries(values).map(([name, value]) => `${name}=${encode(value)}`);
      expect(readQuery(everything, rawQuery.join('&'))).toEqual(values);
    }),
  );
});

test('ignores the order of parameters', () => {
  fc.assert(
    fc.property(anyValues, (values) => {
      const pairs = Object.entries(values).map(([name, value]) => `${name}=${encode(value)}`);
      expect(readQuery(everything, pairs.toReversed().join('&'))).toEqual(readQuery(everything, pairs.join('&')));
    }),
  );
});

test('reads arbitrary text or refuses it with a problem, on every route', () => {
  const names = routes.flatMap((route) => Object.keys(route.query.properties));
  const anyBytes = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)) });
  const anyPair = fc
    .tuple(
      fc.constantFrom(...names, '__proto__', 'constructor'),
      fc.oneof(anyBytes, fc.webQueryParameters(), fc.float().map(String)),
    )
    .map(([name, value]) => `${name}=${value}`);
  const junk = fc.oneof(
    anyBytes,
    fc.array(fc.oneof(anyPair, anyBytes), { maxLength: 6 }).map((pairs) => pairs.join('&')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...routes), junk, (route, rawQuery) => {
      try {
        const values = readQuery(route.query, rawQuery);
        for (const name of Object.keys(values)) expect(Object.keys(route.query.properties)).toContain(name);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        expect(['unknown_parameter', 'invalid_parameter', 'missing_query']).toContain(error.code);
        expect(error.message).toMatch(/\.$/);
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});
