import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { fixedClock } from '../../../../pipeline/effects/clock.ts';
import { formatUtc } from '../../../../pipeline/model/service-time.ts';
import { type AnswerSource, httpDate } from '../../../../pipeline/sample/upstream/answer-source.ts';
import type { Fault } from '../../../../pipeline/sample/upstream/start-fake-upstream.ts';
import {
  ALL_PATHS,
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../pipeline/sample/upstream/start-fake-upstream.ts';

const PATH = '/times';
const BEGIN = '2026-11-20T12:00:00Z';

/** Answers with the requested instant and the server's clock. */
const answerTimes: AnswerSource = ({ path }, { at, serverTime }) => {
  if (path === '/broken') throw new Error('a mistake in the answer');
  if (path !== PATH && path !== '/others') return null;
  const text = JSON.stringify({ at: formatUtc(at * 1000), serverTime: formatUtc(serverTime * 1000) });
  return { status: 200, headers: { 'last-modified': httpDate(at) }, body: Buffer.from(text) };
};

let upstream: FakeUpstream;
const clock = fixedClock(BEGIN);

async function start(fault: Fault | null = null): Promise<string> {
  clock.set(BEGIN);
  upstream = await startFakeUpstream({ answers: answerTimes, clock });
  upstream.setFault(PATH, fault);
  return upstream.url + PATH;
}

afterEach(() => upstream.close());

/** Waits until a request has reached the server, which may then handle it freely. */
async function untilRequested(path: string): Promise<void> {
  while (!upstream.requests().has(path)) await setImmediate();
}

const timesAt = (at: string, serverTime = at) => ({
  at: formatUtc(Date.parse(at)),
  serverTime: formatUtc(Date.parse(serverTime)),
});

describe('without a fault', () => {
  it('answers for the current time', async () => {
    const answer = await fetch(await start());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(timesAt(BEGIN));
  });

  it('answers 304 by entity tag or time', async () => {
    const url = await start();
    const first = await fetch(url);
    const [etag, lastModified] = [first.headers.get('etag')!, first.headers.get('last-modified')!];
    await first.body?.cancel();
    const status = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await status({ 'if-modified-since': lastModified })).toBe(304);
    expect(await status({ 'if-none-match': '"other"', 'if-modified-since': lastModified })).toBe(200);
    clock.set('2026-11-20T12:00:01Z');
    expect(await status({ 'if-none-match': etag })).toBe(200);
    expect(await status({ 'if-modified-since': lastModified })).toBe(200);
  });

  it('counts requests by path', async () => {
    const url = await start();
    for (const target of [url, `${url}?a=1`, `${upstream.url}/others`, `${upstream.url}/unknown`]) await fetch(target);
    expect(Object.fromEntries(upstream.requests())).toEqual({ [PATH]: 2, '/others': 1, '/unknown': 1 });
  });

  it('answers 404 for unknown paths', async () => {
    await start();
    expect((await fetch(`${upstream.url}/unknown`)).status).toBe(404);
    const long = await fetch(`${upstream.url}${PATH}`, { method: 'POST', body: 'x'.repeat(1_048_577) });
    expect(long.status).toBe(413);
  });

  it('answers 500 on an error and stays alive', async () => {
    await start();
    const answer = await fetch(`${upstream.url}/broken`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain('a mistake in the answer');
  });
});

describe('a fault', () => {
  it('503: with Retry-After', async () => {
    const answer = await fetch(await start({ kind: 'status503' }));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('30');
  });

  it('html: 200 with a page', async () => {
    const answer = await fetch(await start({ kind: 'html' }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await answer.text()).toContain('Wartungsarbeiten');
  });

  it('hang: no answer, until the server closes', async () => {
    const pending = fetch(await start({ kind: 'hang' })).then(
      () => 'answered',
      () => 'broken off',
    );
    await untilRequested(PATH);
    expect((await fetch(`${upstream.url}/others`)).status).toBe(200);
    await upstream.close();
    expect(await pending).toBe('broken off');
  });

  it('slow drip: a byte at a time', async () => {
    const answer = await fetch(await start({ kind: 'slowDrip', millisecondsPerByte: 1 }));
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body!) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(3);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(timesAt(BEGIN));
  });

  it('slow drip: ends with the server', async () => {
    const answer = await fetch(await start({ kind: 'slowDrip', millisecondsPerByte: 3_600_000 }));
    expect(answer.status).toBe(200);
    await upstream.close();
    await expect(answer.text()).rejects.toThrow();
  });

  it('truncated: the length promises more', async () => {
    const answer = await fetch(await start({ kind: 'truncated', afterBytes: 10, isClean: false }));
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(10);
    await expect(answer.text()).rejects.toThrow();
  });

  it('truncated cleanly: only visible in the content', async () => {
    const answer = await fetch(await start({ kind: 'truncated', afterBytes: 10, isClean: true }));
    expect(answer.headers.get('content-length')).toBe('10');
    expect(await answer.text()).toHaveLength(10);
  });

  it('truncated: removes at least one byte', async () => {
    const whole = JSON.stringify(timesAt(BEGIN));
    const answer = await fetch(await start({ kind: 'truncated', afterBytes: 1_000_000, isClean: true }));
    expect(await answer.text()).toBe(whole.slice(0, -1));
  });

  it('huge body: continues until the client disconnects', async () => {
    const answer = await fetch(await start({ kind: 'hugeBody' }));
    let bytes = 0;
    for await (const piece of answer.body!) {
      bytes += piece.length;
      if (bytes > 5_000_000) break;
    }
    expect(bytes).toBeGreaterThan(5_000_000);
    expect((await fetch(`${upstream.url}/others`)).status).toBe(200);
  });

  it('redirect loop: redirects to itself', async () => {
    await expect(fetch(await start({ kind: 'redirectLoop' }))).rejects.toThrow();
    expect(upstream.requests().get(PATH)).toBeGreaterThan(5);
  });

  it('reset: the connection breaks', async () => {
    await expect(fetch(await start({ kind: 'reset' }))).rejects.toThrow();
  });

  it.each<[string, Fault, object]>([
    ['old timestamps', { kind: 'oldTimestamps', seconds: 3600 }, timesAt('2026-11-20T11:10:00Z')],
    ['future timestamps', { kind: 'futureTimestamps', seconds: 3600 }, timesAt('2026-11-20T13:10:00Z')],
    ['frozen: its clock runs on', { kind: 'frozen' }, timesAt(BEGIN, '2026-11-20T12:10:00Z')],
  ])('%s', async (_, fault, expected) => {
    const url = await start(fault);
    clock.set('2026-11-20T12:10:00Z');
    expect(await (await fetch(url)).json()).toEqual(expected);
  });

  it('applies to one path or all until it ends', async () => {
    const url = await start();
    const statuses = async () => [(await fetch(url)).status, (await fetch(`${upstream.url}/others`)).status];
    upstream.setFault(PATH, { kind: 'status503' });
    expect(await statuses()).toEqual([503, 200]);
    upstream.setFault(ALL_PATHS, { kind: 'html' });
    upstream.setFault(PATH, null);
    expect(await (await fetch(url)).text()).toContain('Wartung');
    upstream.setFault(ALL_PATHS, null);
    expect(await statuses()).toEqual([200, 200]);
  });
});

describe('faults by HTTP', () => {
  const post = (body: string, type = 'application/json') =>
    fetch(`${upstream.url}/_faults`, { method: 'POST', headers: { 'content-type': type }, body });

  it('are set, listed and ended', async () => {
    const url = await start();
    const set = await post(JSON.stringify({ path: PATH, fault: { kind: 'truncated', afterBytes: 3 } }));
    const expected = { [PATH]: { kind: 'truncated', afterBytes: 3, isClean: false } };
    expect(await set.json()).toEqual(expected);
    expect(await (await fetch(`${upstream.url}/_faults`)).json()).toEqual(expected);
    expect(await (await post(JSON.stringify({ path: PATH, fault: null }))).json()).toEqual({});
    expect((await fetch(url)).status).toBe(200);
  });

  it.each([
    ['no JSON', '{', 'application/json', 400],
    ['no path', '{"fault": null}', 'application/json', 400],
    ['a path without a slash', '{"path": "trias", "fault": null}', 'application/json', 400],
    ['a fault that does not exist', '{"path": "all", "fault": {"kind": "fire"}}', 'application/json', 400],
    [
      'an invalid number',
      '{"path": "all", "fault": {"kind": "slowDrip", "millisecondsPerByte": -1}}',
      'application/json',
      400,
    ],
    ['a form of a page', '{"path": "all", "fault": null}', 'text/plain', 415],
  ])('%s is refused', async (_, body, type, status) => {
    await start();
    const answer = await post(body, type);
    expect(answer.status).toBe(status);
    expect((await fetch(upstream.url + PATH)).status).toBe(200);
  });
});

describe('closing', () => {
  it('leaves no connections open, and can be repeated', async () => {
    const url = await start({ kind: 'hang' });
    // Listed handles keep the process alive; the server is not among them even while it runs.
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
    const pending = fetch(url).catch(() => 'broken off');
    await untilRequested(PATH);
    await upstream.close();
    await upstream.close();
    expect(await pending).toBe('broken off');
    await expect(fetch(url)).rejects.toThrow();
  });
});
