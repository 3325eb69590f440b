import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { openTestApp } from '../test-app.ts';

async function linesOf(requests: InjectOptions[], level = 'info') {
  const lines: string[] = [];
  const app = await openTestApp({ logger: { level, stream: { write: (line) => void lines.push(line) } } });
  for (const request of requests) await app.inject(request);
  await expect.poll(() => lines.length).toBe(level === 'info' ? requests.length : 0);
  return lines;
}

test('logs one line per request: method, path, status and duration', async () => {
  const lines = await linesOf([
    { url: '/v2/boards/7?limit=3' },
    { method: 'POST', url: '/v2/searches?near=48.2,16.3', payload: { text: 'x' } },
    { url: '/nothing?secret=1' },
    { url: '/v2/%zz?secret=1' },
    { url: '/v2/boards/7', headers: { origin: 'x' } },
  ]);
  const shown = lines.map((line) => JSON.parse(line)).map(({ method, path, status }) => [method, path, status]);
  expect(shown).toEqual([
    ['GET', '/v2/boards/7', 200],
    ['POST', '/v2/searches', 400],
    ['GET', '/nothing', 404],
    ['GET', '/v2/%zz', 400],
    ['GET', '/v2/boards/7', 403],
  ]);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ msg: 'request', durationMilliseconds: expect.any(Number) });
    expect(line).not.toMatch(/limit=|48\.2|secret|127\.0\.0\.1/);
  }
});

test('logs a token as a hash that distinguishes installations', async () => {
  const as = (token: string) => ({ url: '/v2/boards/7', headers: { 'x-installation-token': token } });
  const lines = await linesOf([as('device-one'), as('device-two'), as('device-one'), as('bad'), { url: '/' }]);
  const hashes = lines.map((line) => JSON.parse(line).installation);
  expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
  expect([hashes[0] === hashes[2], hashes[0] === hashes[1], hashes[3], hashes[4]]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
  expect(lines.join('')).not.toMatch(/device-one|device-two/);
});

test('cuts long paths', async () => {
  const [line] = await linesOf([{ url: `/${'x'.repeat(20_000)}` }]);
  expect(JSON.parse(line!).path).toHaveLength(500);
});

test('logs no requests above level info', async () => {
  await linesOf([{ url: '/v2/boards/7' }, { url: '/nothing' }], 'warn');
});

test('never logs tokens or coordinates, wherever a request contains them', async () => {
  const token = 'device-0123456789';
  const lines = await linesOf([
    {
      url: `/v2/boards/48.208174,16.373819?near=48.208174,16.373819&token=${token}`,
      headers: { 'x-installation-token': token },
    },
    { url: `/v2/nearby/${token}/48.2%2C16.3`, headers: { 'x-installation-token': token } },
    { url: '/v2/near/16.373819/', headers: { referer: 'https://x.example/48.208174' } },
  ]);
  const log = lines.join('');
  expect(log).not.toMatch(/48\.2|16\.3|device-0123/);
  expect(lines.map((line) => JSON.parse(line).path)).toEqual([
    '/v2/boards/(point)',
    '/v2/nearby/(token)/(point)',
    '/v2/near/(coordinate)/',
  ]);
});

test('logs the id of the response, the time, and the name of the level', async () => {
  const lines: string[] = [];
  const app = await openTestApp({ logger: { level: 'info', stream: { write: (line) => void lines.push(line) } } });
  const answers = [await app.inject('/v2/boards/7'), await app.inject('/nothing')];
  await expect.poll(() => lines.length).toBe(2);
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(lines.map((line) => JSON.parse(line).reqId)).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(Object.keys(JSON.parse(lines[0]!))).not.toContain('hostname');
});

test.each([
  ['taken over from a trusted proxy', '127.0.0.1', 'abc-def_12345678', true],
  ['not taken over without one', undefined, 'abc-def_12345678', false],
  ['not taken over if it is not an id', '127.0.0.1', 'x\u0001 {"level":"error"}', false],
])('an id is %s', async (_what, trustProxy, given, isTaken) => {
  const app = await openTestApp(trustProxy === undefined ? {} : { trustProxy });
  const { headers } = await app.inject({ url: '/v2/boards/7', headers: { 'x-request-id': given } });
  expect(headers['x-request-id'] === given).toBe(isTaken);
});
