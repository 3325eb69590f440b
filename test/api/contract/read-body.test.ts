import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions } from '../../../api/contract/definitions.ts';
import { ApiProblem } from '../../../api/contract/problems.ts';
import { readBody } from '../../../api/contract/read-body.ts';
import { routes } from '../../../api/contract/routes.ts';
import { samples } from './samples.ts';

function refusal(type: string, value: unknown) {
  try {
    readBody(definitions[type]!, value);
  } catch (error) {
    if (error instanceof ApiProblem) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(value)} was not refused as ${type}`);
}

const bodyTypes = [...new Set(routes.flatMap((route) => route.bodyType ?? []))];
const a = { stopId: 'a' };
const legs = [{ journeyRef: 'r', originId: 'a', destinationId: 'b' }];
const subscription = { endpoint: 'https://push.example.org/x', keys: { p256dh: 'k', auth: 'k' } };
const tripDefaults = { timeMode: 'departure', limit: 4, walkSpeedKmh: 4.7, maxWalkMeters: 1500, wheelchair: false };

const watchDefaults = { delivery: { kind: 'poll' }, language: 'de' };

test.each(bodyTypes)('%s is read unchanged', (type) => {
  expect(readBody(definitions[type]!, structuredClone(samples[type]))).toEqual(samples[type]);
});

test.each<[string, object, object]>([
  ['TripRequest', { from: a, to: a }, tripDefaults],
  ['FootpathRequest', { from: { lat: 1, lon: 2 }, to: { lat: 1, lon: 2 } }, { profile: 'foot', language: 'de' }],
  ['RescueRequest', { legs }, { limit: 4 }],
  ['TripWatchRequest', { legs }, { ...watchDefaults, minDelayMinutes: 5 }],
  ['RescueWatchRequest', { legs }, { ...watchDefaults, minDelayMinutes: 5, minSuccessProbability: 0.7 }],
  ['LineWatchRequest', { lines: [{ label: 'U1' }] }, watchDefaults],
])('%s gets its defaults without modifying the input', (type, value, defaults) => {
  const sent = structuredClone(value);
  expect(readBody(definitions[type]!, sent)).toEqual({ ...value, ...defaults });
  expect(sent).toEqual(value);
});

describe('refusals name the first invalid member and its allowed values', () => {
  test.each<[string, unknown, string | undefined, string]>([
    ['UnwatchRequest', undefined, undefined, 'The body must be an object {watchId}.'],
    ['UnwatchRequest', [], undefined, 'The body must be an object {watchId}.'],
    ['UnwatchRequest', {}, '/watchId', '"/watchId" is missing; it must be a text of 1 to 500 characters.'],
    ['UnwatchRequest', { watchId: 5 }, '/watchId', '"/watchId" must be a text of 1 to 500 characters.'],
    ['UnwatchRequest', { watchId: 'a', x: 1 }, '/x', '"/x" is unknown; allowed are watchId.'],
    ['UnwatchRequest', { watchId: 'a', 'x/y~z': 1 }, '/x~1y~0z', '"/x~1y~0z" is unknown; allowed are watchId.'],
    ['TripRequest', { from: a, to: a, limit: '4' }, '/limit', '"/limit" must be a whole number from 1 to 6.'],
    ['TripRequest', { from: a, to: a, wheelchair: 'true' }, '/wheelchair', '"/wheelchair" must be true or false.'],
    ['TripRequest', { from: a, to: a, wheelchair: null }, '/wheelchair', '"/wheelchair" must be true or false.'],
    ['TripRequest', { from: a, to: a, time: 'now' }, '/time', '"/time" must be a time like 2025-03-30T14:05:00+02:00.'],
    [
      'TripRequest',
      { from: a, to: a, time: '2025-03-30T14:05:00Z', pageRef: 'x' },
      '/pageRef',
      '"/pageRef" cannot be given together with "time".',
    ],
    [
      'TripRequest',
      { from: a, to: a, via: [a, a, a] },
      '/via',
      '"/via" must be a list of at most 2 items, each an object {stopId} or an object {coord, name?}.',
    ],
    [
      'RescueRequest',
      { legs: [...legs, { journeyRef: 'r', originId: 'a' }] },
      '/legs/1/destinationId',
      '"/legs/1/destinationId" is missing; it must be a text of 1 to 500 characters.',
    ],
    [
      'PredictionBatchRequest',
      { journeyRefs: [] },
      '/journeyRefs',
      '"/journeyRefs" must be a list of 1 to 200 items, each a text that is not empty.',
    ],
    [
      'PredictionBatchRequest',
      { journeyRefs: ['a', ''] },
      '/journeyRefs/1',
      '"/journeyRefs/1" must be a text that is not empty.',
    ],
  ])('%s %j', (type, value, pointer, detail) => {
    const problem = refusal(type, value);
    expect([problem.code, problem.parameter, problem.message]).toEqual(['invalid_body', pointer, detail]);
  });
});

describe('refusals of a union explain the intended branch', () => {
  const either = 'must be an object {stopId} or an object {coord, name?}.';
  test.each<[unknown, string, string]>([
    [{}, '/to', `"/to" ${either}`],
    ['westbf', '/to', `"/to" ${either}`],
    [null, '/to', `"/to" ${either}`],
    [[a], '/to', `"/to" ${either}`],
    [{ stopId: 'a', coord: { lat: 1, lon: 1 } }, '/to', `"/to" ${either}`],
    [{ name: 'x' }, '/to/coord', '"/to/coord" is missing; it must be an object {lat, lon}.'],
    [{ stopId: '' }, '/to/stopId', '"/to/stopId" must be a text of 1 to 500 characters.'],
    [{ coord: { lat: 91, lon: 1 } }, '/to/coord/lat', '"/to/coord/lat" must be a number from -90 to 90.'],
    [{ coord: { lat: 9, lon: 1, alt: 3 } }, '/to/coord/alt', '"/to/coord/alt" is unknown; allowed are lat, lon.'],
  ])('place %j', (to, pointer, detail) => {
    const problem = refusal('TripRequest', { from: a, to });
    expect([problem.parameter, problem.message]).toEqual([pointer, detail]);
  });

  const kinds = '"/delivery" must be an object {kind: "webPush", subscription} or an object {kind: "poll"}.';
  test.each<[unknown, string, string]>([
    [{}, '/delivery', kinds],
    [{ kind: 'mail' }, '/delivery', kinds],
    [
      { kind: 'poll', subscription },
      '/delivery/subscription',
      '"/delivery/subscription" is unknown; allowed are kind.',
    ],
    [
      { kind: 'webPush' },
      '/delivery/subscription',
      '"/delivery/subscription" is missing; it must be an object {endpoint, expirationTime?, keys}.',
    ],
    [
      { kind: 'webPush', subscription: { ...subscription, endpoint: 'push.example.org' } },
      '/delivery/subscription/endpoint',
      '"/delivery/subscription/endpoint" must be an address of at most 2048 characters.',
    ],
    [
      { kind: 'webPush', subscription: { ...subscription, expirationTime: 'soon' } },
      '/delivery/subscription/expirationTime',
      '"/delivery/subscription/expirationTime" must be a number of at least 0 or null.',
    ],
  ])('delivery %j', (delivery, pointer, detail) => {
    const problem = refusal('TripWatchRequest', { legs, delivery });
    expect([problem.parameter, problem.message]).toEqual([pointer, detail]);
  });
});

test('refuses inherited member names and an own __proto__', () => {
  expect(refusal('UnwatchRequest', JSON.parse('{"watchId":"a","__proto__":{"x":1}}')).parameter).toBe('/__proto__');
  expect(refusal('UnwatchRequest', JSON.parse('{"watchId":"a","constructor":1}')).parameter).toBe('/constructor');
});

test('cuts long names in error texts', () => {
  const problem = refusal('UnwatchRequest', { watchId: 'a', ['x'.repeat(100_000)]: 1 });
  expect(problem.parameter).toHaveLength(101);
});

test('reads any JSON or refuses it with a problem', () => {
  const someBodies = bodyTypes.map((type) => samples[type] as Record<string, unknown>);
  // Valid bodies with one replaced member test the constraints better than arbitrary JSON alone.
  const damaged = fc.tuple(fc.constantFrom(...someBodies), fc.nat(), fc.jsonValue()).map(([body, n, value]) => {
    const names = Object.keys(body);
    return { ...body, [names[n % names.length]!]: value };
  });
  fc.assert(
    fc.property(fc.constantFrom(...bodyTypes), fc.oneof(fc.jsonValue(), damaged), (type, value) => {
      try {
        expect(readBody(definitions[type]!, value)).toMatchObject(value as object);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        expect(error.code).toBe('invalid_body');
        expect(error.message).toMatch(/\.$/);
      }
    }),
    { numRuns: 1000 },
  );
});
