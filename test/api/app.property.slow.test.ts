import { type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { type ProblemCode, problems } from '../../api/contract/problems.ts';
import { routes } from '../../api/contract/routes.ts';
import { type RunningServer, startServer } from '../../api/server.ts';
import { findContractErrors } from '../support/checks/contract-validator.ts';
import { testOptions } from './test-app.ts';

interface Question {
  readonly method: string;
  /** The request target, unmodified, as in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
}

interface RawAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

// Uses a real connection, because inject would normalise the URL.
let server: RunningServer;
beforeAll(async () => {
  const { routes: _small, ...options } = testOptions({ handlers: {}, fairUse: { unitsPerMinute: 1e9, burst: 1e9 } });
  server = await startServer({ app: await buildApp(options), host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

function send({ method, target, headers, payload }: Question): Promise<RawAnswer> {
  const { hostname, port } = new URL(server.url);
  // For GET, the client of Node would send a body without its length, which the server reads as a second request.
  const length = { 'content-length': String(Buffer.byteLength(payload ?? '')) };
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      { hostname, port, method, path: target, headers: { ...headers, ...length }, agent: false },
      async (answer) => {
        resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers, body: await readText(answer) });
      },
    );
    sent.on('error', reject).end(payload);
  });
}

const pages = ['/', '/problems', '/docs', '/openapi.json', '/docs/json', '/docs/guides', '/docs/static/swagger-ui.css'];
const paths = [...routes.map(({ path }) => path), ...pages];

/** Fragments that break parsers, besides arbitrary text. */
const oddity = fc.constantFrom(
  ...[
    '%',
    '%zz',
    '%00',
    '%2f',
    '%5c',
    '\\',
    '%252f',
    '%ff',
    '%c3%a4',
    'ä',
    '..',
    '.',
    ';',
    ',',
    '*',
    '&',
    '=',
    '+',
    '//',
    '#',
    '?',
  ],
  ...['__proto__', 'constructor', 'NaN', '1e3', ' ', '-0', '9'.repeat(40), 'x'.repeat(500)],
);
const piece = fc.oneof(
  oddity,
  fc.string({ unit: 'binary', maxLength: 8 }).map(encodeText),
  fc.string({ maxLength: 5 }),
);

/** fast-check generates lone surrogates, which have no encoding. */
function encodeText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''));
}

const knownPath = fc
  .tuple(fc.constantFrom(...paths), fc.array(piece, { minLength: 2, maxLength: 2 }))
  .map(([path, [one, other]]) => path.replace(/\{\w+\}/, one!).replace('*', other!));
const path = fc.oneof(
  knownPath,
  fc.array(piece).map((pieces) => `/${pieces.join('/')}`),
  fc.constantFrom('/v2', '/v1/'),
);
const parameterName = fc.oneof(
  fc.constantFrom(...new Set(routes.flatMap(({ query }) => Object.keys(query.properties)))),
  piece,
);
const query = fc
  .array(fc.tuple(parameterName, piece), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const header = fc.tuple(
  fc.constantFrom(
    ...['origin', 'accept', 'content-type', 'content-encoding', 'if-none-match', 'x-installation-token', 'expect'],
    ...[
      'range',
      'if-match',
      'if-range',
      'if-modified-since',
      'x-forwarded-for',
      'access-control-request-method',
      'accept-version',
      'upgrade',
      'forwarded',
    ],
  ),
  fc.oneof(
    fc.constantFrom('null', '*', '"x"', 'application/json', 'text/plain', 'gzip', '100-continue', 'bytes=0-1', ''),
    fc.string({ maxLength: 20 }),
  ),
);
const question: fc.Arbitrary<Question> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'),
    path,
    query,
    headers: fc.array(header, { maxLength: 4 }),
    payload: fc.oneof(
      fc.constant(undefined),
      fc.json(),
      fc.string(),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
  })
  .map(({ method, path, query, headers, payload }) => ({
    method,
    target: toSendable(query === '' ? path : `${path}?${query}`),
    headers: Object.fromEntries(headers),
    payload,
  }));

/** Request targets that Node accepts: ASCII without spaces and control characters. */
function toSendable(target: string): string {
  return target.replace(/[^\x21-\x7e]/g, (character) => encodeText(character));
}

const unbuilt: readonly ProblemCode[] = ['not_available_yet', 'timetable_unavailable'];

async function expectGoodOrProblem({ statusCode, headers, body }: RawAnswer, { method }: Question): Promise<void> {
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers.ratelimit).toMatch(/^"address";r=\d+;t=\d+$/);
  if (statusCode < 400) {
    expect([200, 204, 302, 304]).toContain(statusCode);
    return;
  }
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers['cache-control']).toBe('no-store');
  if (method === 'HEAD') return;
  const problem = JSON.parse(body);
  expect(await findContractErrors('Problem', problem)).toEqual([]);
  expect(problem.status).toBe(statusCode);
  expect(problems[problem.code as ProblemCode].status).toBe(statusCode);
  if (statusCode >= 500) expect(unbuilt).toContain(problem.code);
}

test('any request gets a valid response or problem, never a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(question, async (request) => {
      await expectGoodOrProblem(await send(request), request);
    }),
    { numRuns: 1500 },
  );
});

test('no request with an Origin reaches a route of /v2', async () => {
  await fc.assert(
    fc.asyncProperty(question, fc.constantFrom('null', 'https://example.org', ''), async (request, origin) => {
      const answer = await send({ ...request, headers: { ...request.headers, origin } });
      const isAllowedToBeRead = answer.headers['access-control-allow-origin'] !== undefined;
      if (/^\/+v2(?:\/|\?|#|$)/.test(request.target)) {
        expect([answer.statusCode, isAllowedToBeRead]).toEqual([403, false]);
      }
      // All handlers of this app are placeholders that answer `not_available_yet`.
      if (answer.body.includes('not_available_yet')) expect(request.target).not.toMatch(/^\/+v2/);
    }),
    { numRuns: 1000 },
  );
});

test('every route of the contract is registered, and reports that it is not available or what is missing', async () => {
  for (const { method, path } of routes) {
    const target = path.replace(/\{\w+\}/, 'x');
    const { statusCode } = await send({ method, target, headers: {}, payload: undefined });
    expect([method, path, [400, 503].includes(statusCode)]).toEqual([method, path, true]);
  }
});
