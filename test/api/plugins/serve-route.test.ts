import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../api/contract/problems.ts';
import type { HeldSnapshot, RouteHandler, SnapshotHolder } from '../../../api/plugins/route-handler.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { boardHandler, openTestApp, type TestData } from '../test-app.ts';

/** A board route that counts its calls, with settable clock and data. */
async function openBoard(overrides: Partial<RouteHandler<TestData>> = {}, responseCacheBytes?: number) {
  const clock = fixedClock('2025-03-30T12:00:07Z');
  let snapshot: HeldSnapshot<TestData> = { value: { name: 'first' }, dataVersion: 'data-1' };
  const snapshots: SnapshotHolder<TestData> = { current: () => snapshot };
  let calls = 0;
  const handler: RouteHandler<TestData> = {
    ...boardHandler,
    ...overrides,
    answer(request) {
      calls += 1;
      return (overrides.answer ?? boardHandler.answer)(request);
    },
  };
  const app = await openTestApp({
    clock,
    snapshots,
    handlers: { 'GET /v2/boards/{id}': handler },
    ...(responseCacheBytes === undefined ? {} : { responseCacheBytes }),
  });
  return {
    clock,
    calls: () => calls,
    publish: (name: string, dataVersion: string) => {
      snapshot = { value: { name }, dataVersion };
    },
    get: (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers }),
    head: (url: string) => app.inject({ method: 'HEAD', url }),
  };
}

describe('a successful response', () => {
  test('has the headers of the contract', async () => {
    const board = await openBoard();
    const answer = await board.get('/v2/boards/7');
    expect(answer.json()).toEqual({ id: '7', query: { limit: 30 }, data: 'first', at: 1_743_336_000 });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'public, max-age=15',
      'data-version': 'data-1',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'x-content-type-options': 'nosniff',
    });
  });

  test('to HEAD has no body', async () => {
    const board = await openBoard();
    const [get, head] = [await board.get('/v2/boards/7'), await board.head('/v2/boards/7')];
    const { date: _getDate, 'x-request-id': _getId, ...getHeaders } = get.headers;
    const { date: _headDate, 'x-request-id': _headId, ...headHeaders } = head.headers;
    expect([head.statusCode, head.body, headHeaders]).toEqual([200, '', getHeaders]);
  });

  test('to POST is neither tagged nor cached', async () => {
    const clock = fixedClock('2025-03-30T12:00:07Z');
    let calls = 0;
    const app = await openTestApp({
      clock,
      handlers: {
        'POST /v2/searches': {
          snapshot: 'required',
          changesWithTime: () => false,
          answer: ({ body, instant }) => {
            calls += 1;
            return { json: { body, instant } };
          },
        },
      },
    });
    const post = () => app.inject({ method: 'POST', url: '/v2/searches', payload: { text: 'ä' } });
    await post();
    const answer = await post();
    expect(answer.json()).toEqual({ body: { text: 'ä' }, instant: 1_743_336_007 });
    expect([calls, answer.headers.etag, answer.headers['cache-control']]).toEqual([2, undefined, 'no-store']);
    expect(answer.headers['data-version']).toBe('data-1');
  });

  test('can be bytes of another type', async () => {
    const bytes = new Uint8Array([0, 1, 2, 255]).subarray(1);
    const board = await openBoard({ answer: () => ({ bytes, mediaType: 'application/vnd.apache.arrow.stream' }) });
    for (let round = 0; round < 2; round++) {
      const answer = await board.get('/v2/boards/7');
      expect([...answer.rawPayload]).toEqual([1, 2, 255]);
      expect(answer.headers['content-type']).toBe('application/vnd.apache.arrow.stream');
    }
  });

  test('has no Data-Version if the route does not depend on data', async () => {
    const board = await openBoard({ snapshot: 'unused', changesWithTime: () => false, answer: () => ({ json: {} }) });
    const before = await board.get('/v2/boards/7');
    board.publish('second', 'data-2');
    const after = await board.get('/v2/boards/7');
    expect([before.headers['data-version'], after.headers.etag]).toEqual([undefined, before.headers.etag]);
  });
});

describe('caching', () => {
  test('answers an equal request within 15 s from the cache, however it is written', async () => {
    const board = await openBoard();
    const first = await board.get('/v2/boards/7?time=x&limit=30');
    for (const url of ['/v2/boards/7?limit=30&time=x', '/v2/boards/%37?time=%78', '/v2/boards/7?time=x']) {
      const again = await board.get(url);
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([200, first.body, first.headers.etag]);
    }
    expect(board.calls()).toBe(1);
  });

  test.each([
    ['another path', '/v2/boards/8'],
    ['another query', '/v2/boards/7?limit=3'],
    ['a time', '/v2/boards/7?time=x'],
  ])('%s is a different request', async (_name, url) => {
    const board = await openBoard();
    const [one, other] = [await board.get('/v2/boards/7'), await board.get(url)];
    expect([board.calls(), one.headers.etag === other.headers.etag]).toEqual([2, false]);
  });

  test('rounds the instant down to 15 s', async () => {
    const board = await openBoard();
    const at = async (time: string) => {
      board.clock.set(`2025-03-30T${time}Z`);
      const answer = await board.get('/v2/boards/7');
      return [answer.json().at - 1_743_336_000, answer.headers.etag];
    };
    const first = await at('12:00:00.000');
    expect(first[0]).toBe(0);
    expect(await at('12:00:14.999')).toEqual(first);
    expect((await at('12:00:15.000'))[0]).toBe(15);
    expect(board.calls()).toBe(2);
  });

  test('keeps the response to a request with an explicit time', async () => {
    const board = await openBoard();
    const first = await board.get('/v2/boards/7?time=x');
    board.clock.set('2025-03-31T12:00:00Z');
    const later = await board.get('/v2/boards/7?time=x');
    expect([later.statusCode, later.headers.etag, board.calls()]).toEqual([200, first.headers.etag, 1]);
  });

  test('computes a new response for new data', async () => {
    const board = await openBoard();
    const before = await board.get('/v2/boards/7');
    board.publish('second', 'data-2');
    const after = await board.get('/v2/boards/7');
    expect([after.json().data, after.headers['data-version']]).toEqual(['second', 'data-2']);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  test('uses different tags in different builds', async () => {
    const tagOf = async (answersVersion: string) => {
      const app = await openTestApp({ answersVersion });
      return (await app.inject({ url: '/v2/boards/7' })).headers.etag;
    };
    expect(await tagOf('1')).toBe(await tagOf('1'));
    expect(await tagOf('1')).not.toBe(await tagOf('2'));
  });

  test('caches nothing without memory, but still tags', async () => {
    const board = await openBoard({}, 0);
    const [one, other] = [await board.get('/v2/boards/7'), await board.get('/v2/boards/7')];
    expect([board.calls(), one.headers.etag]).toEqual([2, other.headers.etag]);
  });

  test('neither tags nor caches other statuses', async () => {
    const board = await openBoard({ answer: () => ({ json: { status: 'unhealthy' }, status: 503 }) });
    await board.get('/v2/boards/7');
    const { statusCode, headers } = await board.get('/v2/boards/7');
    expect([statusCode, headers.etag, headers['cache-control'], board.calls()]).toEqual([
      503,
      undefined,
      'no-store',
      2,
    ]);
  });

  test('returns equal bytes for equal tags even if a handler wrongly declares time irrelevant', async () => {
    const board = await openBoard({ changesWithTime: () => false }, 0);
    const first = await board.get('/v2/boards/7');
    board.clock.set('2025-03-31T12:00:00Z');
    const later = await board.get('/v2/boards/7');
    expect([board.calls(), later.headers.etag, later.body]).toEqual([2, first.headers.etag, first.body]);
  });
});

describe('If-None-Match', () => {
  test('answers a matching tag without calling the handler', async () => {
    const board = await openBoard({}, 0);
    const first = await board.get('/v2/boards/7');
    const etag = String(first.headers.etag);
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await board.get('/v2/boards/7', { 'if-none-match': header });
      expect([answer.statusCode, answer.body]).toEqual([304, '']);
      expect(answer.headers).toMatchObject({
        etag,
        'cache-control': 'public, max-age=15',
        'data-version': 'data-1',
      });
      expect(answer.headers['content-type']).toBeUndefined();
    }
    expect(board.calls()).toBe(1);
  });

  test('answers * with 304 if there is a response, cached or not, else with the refusal', async () => {
    const board = await openBoard();
    for (const calls of [1, 1]) {
      const answer = await board.get('/v2/boards/7', { 'if-none-match': '*' });
      expect([answer.statusCode, answer.body, board.calls()]).toEqual([304, '', calls]);
      expect(answer.headers).toMatchObject({ etag: expect.stringMatching(/^"/), 'data-version': 'data-1' });
    }
    const refusing = await openBoard({
      answer: () => {
        throw new ApiProblem('unknown_stop', 'There is none.');
      },
    });
    expect((await refusing.get('/v2/boards/7', { 'if-none-match': '*' })).statusCode).toBe(404);
    const unhealthy = await openBoard({ answer: () => ({ json: {}, status: 503 }) });
    expect((await unhealthy.get('/v2/boards/7', { 'if-none-match': '*' })).statusCode).toBe(503);
  });

  test.each(['"other"', '"*"', 'nonsense', '*, "other"'])('%s gets the response', async (header) => {
    const board = await openBoard();
    await board.get('/v2/boards/7');
    expect((await board.get('/v2/boards/7', { 'if-none-match': header })).statusCode).toBe(200);
  });

  test('refuses invalid input before comparing tags', async () => {
    const board = await openBoard();
    const { etag } = (await board.get('/v2/boards/7')).headers;
    expect((await board.get('/v2/boards/7?x=1', { 'if-none-match': String(etag) })).statusCode).toBe(400);
  });
});

test('a request finishes with its snapshot, even if a newer one is loaded', async () => {
  const waiting: (() => void)[] = [];
  const board = await openBoard({
    async answer({ snapshot }) {
      const before = snapshot?.value.name;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { json: { before, after: snapshot?.value.name, version: snapshot?.dataVersion } };
    },
  });
  const early = board.get('/v2/boards/7');
  await expect.poll(() => waiting.length).toBe(1);
  board.publish('second', 'data-2');
  const late = board.get('/v2/boards/7');
  await expect.poll(() => waiting.length).toBe(2);
  for (const proceed of waiting) proceed();
  const [one, other] = [await early, await late];
  expect(one.json()).toEqual({ before: 'first', after: 'first', version: 'data-1' });
  expect(one.headers['data-version']).toBe('data-1');
  expect(other.json()).toEqual({ before: 'second', after: 'second', version: 'data-2' });
  expect(other.headers['data-version']).toBe('data-2');
});

test('equal tags mean equal bytes, and known targets get their own response, for any time and data', async () => {
  const board = await openBoard({}, 5000);
  const bodies = new Map<string, string>();
  const question = fc.record({
    second: fc.nat(90),
    data: fc.constantFrom('1', '2', '3'),
    id: fc.constantFrom('7', '8', 'ä'),
    limit: fc.constantFrom(null, 1, 30),
    time: fc.constantFrom(null, 'x', 'y'),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ second, data, id, limit, time }) => {
      board.clock.set(new Date(1_743_336_000_000 + second * 1000).toISOString());
      board.publish(`name ${data}`, data);
      const query = [limit && `limit=${limit}`, time && `time=${time}`].filter(Boolean).join('&');
      const answer = await board.get(`/v2/boards/${encodeURIComponent(id)}?${query}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ id, data: `name ${data}`, query: { limit: limit ?? 30 } });
      const etag = String(answer.headers.etag);
      expect(bodies.get(etag) ?? answer.body).toBe(answer.body);
      bodies.set(etag, answer.body);
    }),
    { numRuns: 400 },
  );
  expect(new Set(bodies.values()).size).toBe(bodies.size);
});
