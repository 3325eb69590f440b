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

test('one line per request: method, path, status and duration', async () => {
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

test('a token appears as a hash that tells installations apart', async () => {
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

test('a path of any length leaves a short line', async () => {
  const [line] = await linesOf([{ url: `/${'x'.repeat(20_000)}` }]);
  expect(JSON.parse(line!).path).toHaveLength(500);
});

test('a level above info leaves no lines', async () => {
  await linesOf([{ url: '/v2/boards/7' }, { url: '/nothing' }], 'warn');
});
