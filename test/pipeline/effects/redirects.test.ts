import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchHttp, type HttpRequest, readBody } from '../../../pipeline/effects/http.ts';
import { findNextHop, type Hop, MAX_REDIRECTS } from '../../../pipeline/effects/redirects.ts';

/** All settings of the first origin contain this text, which no other origin may ever receive. */
const SECRET = 'do-not-pass-on';

const configured = {
  authorization: `Bearer ${SECRET}`,
  cookie: `session=${SECRET}`,
  'x-api-key': SECRET,
  'content-type': 'text/xml',
  'If-None-Match': '"1"',
  'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT',
};
const body = `<RequestorRef>${SECRET}</RequestorRef>`;

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server in this process that redirects what comes under `/from`, and records all requests. */
async function serve(redirect?: { status: number; location: string }) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    if (redirect && url.startsWith('/from')) {
      response.writeHead(redirect.status, { location: redirect.location }).end('elsewhere');
    } else response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, port: (server.address() as AddressInfo).port };
}

async function send(url: string, more: Partial<HttpRequest> = {}): Promise<string> {
  const answer = await fetchHttp({ url, headers: configured, timeoutSeconds: 10, maxBytes: 1000, ...more });
  return Buffer.from(await readBody(answer.body!)).toString();
}

const statuses = [301, 302, 303, 307, 308] as const;
const post = { method: 'POST', body } as const;

describe('within the origin', () => {
  const cases = statuses.flatMap((status) => (['GET', 'POST'] as const).map((method) => [method, status] as const));

  it.each(cases)('%s and %i', async (method, status) => {
    const { received, port } = await serve({ status, location: '/to?page=2#part' });
    expect(await send(`http://127.0.0.1:${port}/from?key=${SECRET}`, method === 'POST' ? post : {})).toBe('here');
    const isKept = method === 'GET' || status === 307 || status === 308;
    expect(received[1]).toMatchObject({
      method: isKept ? method : 'GET',
      url: '/to?page=2',
      body: isKept && method === 'POST' ? body : '',
      headers: { authorization: `Bearer ${SECRET}`, cookie: `session=${SECRET}`, 'x-api-key': SECRET },
    });
    expect(received[1]!.headers['content-type']).toBe(isKept ? 'text/xml' : undefined);
  });

  it.each([
    ['/from/x', 'to', '/from/to'],
    ['/from/x', '../to', '/to'],
    ['/from', '?page=2', '/from?page=2'],
    ['/from', '//127.0.0.1:PORT/to', '/to'],
    ['/from', 'http://user:password@127.0.0.1:PORT/to', '/to'],
    ['/from', '/zu/größe', '/zu/gr%C3%B6%C3%9Fe'],
  ])('from %s the location %s leads to %s', async (from, location, to) => {
    const { port } = await serve();
    const hop = {
      url: new URL(`http://127.0.0.1:${port}${from}`),
      method: 'GET',
      headers: configured,
      body: null,
    } as const;
    const header = Buffer.from(location.replace('PORT', String(port))).toString('latin1');
    expect(findNextHop(hop, 302, header)).toEqual({ ...hop, url: new URL(`http://127.0.0.1:${port}${to}`) });
  });
});

describe('to another origin', () => {
  const others = [
    ['another port', (_first: number, second: number) => `http://127.0.0.1:${second}/to`],
    ['another name of the same host', (first: number) => `http://localhost:${first}/to`],
  ] as const;
  const cases = statuses.flatMap((status) => others.map(([what, locate]) => [status, what, locate] as const));

  it.each(cases)('%i, %s: a GET goes there without the configured headers', async (status, _what, locate) => {
    const second = await serve();
    const redirect = { status, location: '' };
    const first = await serve(redirect);
    redirect.location = locate(first.port, second.port);
    const url = `http://me:${SECRET}@127.0.0.1:${first.port}/from?key=${SECRET}`;
    expect(await send(url)).toBe('here');
    const there = [...second.received, ...first.received].find(({ url }) => url === '/to')!;
    expect(JSON.stringify(there)).not.toContain(SECRET);
    expect(there).toMatchObject({ method: 'GET', body: '', headers: { 'if-none-match': '"1"' } });
    const passedOn = Object.keys(configured).filter((name) => name.toLowerCase() in there.headers);
    expect(passedOn).toEqual(['If-None-Match', 'if-modified-since']);
  });

  it.each(cases)('%i, %s: a POST does not go there', async (status, _what, locate) => {
    const second = await serve();
    const redirect = { status, location: '' };
    const first = await serve(redirect);
    redirect.location = locate(first.port, second.port);
    const other = new URL(redirect.location).origin;
    await expect(send(`http://127.0.0.1:${first.port}/from?key=${SECRET}`, post)).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message:
        `POST http://127.0.0.1:${first.port}/from is redirected to another origin, ${other}, ` +
        'which must not receive its body',
      isRetryable: false,
    });
    expect([...second.received, ...first.received].filter(({ url }) => url === '/to')).toEqual([]);
  });

  it('rejects a location that repeats a key of the query, also under another name', async () => {
    const second = await serve();
    const first = await serve({ status: 302, location: `http://127.0.0.1:${second.port}/to?k=${SECRET}` });
    const failure = await send(`http://127.0.0.1:${first.port}/from?key=${SECRET}`).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'http_redirect_refused' });
    expect(String(failure)).not.toContain(SECRET);
    expect(second.received).toEqual([]);
  });

  it('follows one that repeats a flag of the query', async () => {
    const second = await serve();
    const first = await serve({ status: 302, location: `http://127.0.0.1:${second.port}/to?dl=1` });
    expect(await send(`http://127.0.0.1:${first.port}/from?dl=1`)).toBe('here');
  });

  it('does not restore dropped headers back at the first origin', async () => {
    const back = { status: 302, location: '' };
    const second = await serve(back);
    const first = await serve({ status: 302, location: `http://127.0.0.1:${second.port}/from` });
    back.location = `http://127.0.0.1:${first.port}/to`;
    expect(await send(`http://127.0.0.1:${first.port}/from`)).toBe('here');
    expect(first.received.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      ['/from', SECRET],
      ['/to', undefined],
    ]);
  });
});

describe('trusted hosts', () => {
  const trusting: Hop = {
    url: new URL(`https://a.example/bin/mgate.exe?aid=${SECRET}`),
    method: 'POST',
    headers: configured,
    body,
    trustedHosts: ['a.example', 'new.example'],
  };
  it.each<[location: string, isTrusted: boolean]>([
    ['/hamm/gate', true],
    ['https://a.example:8443/hamm/gate', true],
    ['https://new.example/hamm/gate', true],
    ['http://new.example/hamm/gate', false],
    ['http://a.example/hamm/gate', false],
    ['https://b.example/hamm/gate', false],
    ['https://new.example.b.example/hamm/gate', false],
    ['https://new.example@b.example/hamm/gate', false],
  ])('%s', (location, isTrusted) => {
    const next = () => findNextHop(trusting, 307, location);
    if (isTrusted) expect(next()).toMatchObject({ method: 'POST', headers: configured, body });
    else
      expect(next).toThrow(/^POST https:\/\/a\.example\/bin\/mgate\.exe is redirected to another origin, https?:\/\//);
  });

  it('stay trusted along the chain, and receive what may be sent to them', () => {
    const second = findNextHop(trusting, 307, 'https://new.example/1')!;
    expect(findNextHop(second, 307, 'https://a.example/2')).toMatchObject({ method: 'POST', body });
    expect(() => findNextHop(second, 307, 'https://b.example/2')).toThrow('must not receive its body');
  });

  it('are followed with the body, and the answer names the address', async () => {
    const target = await serve();
    const first = await serve({ status: 307, location: `http://127.0.0.1:${target.port}/hamm/gate?x=1` });
    const url = `http://127.0.0.1:${first.port}/from`;
    const request = { url, headers: configured, ...post, timeoutSeconds: 10, maxBytes: 1000 } as const;
    const { redirectedTo } = await fetchHttp({ ...request, redirectHosts: ['127.0.0.1'] });
    expect(redirectedTo).toBe(`http://127.0.0.1:${target.port}/hamm/gate`);
    expect(target.received).toMatchObject([{ method: 'POST', body, headers: { 'x-api-key': SECRET } }]);
    await expect(fetchHttp({ ...request, redirectHosts: ['other.example'] })).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message: expect.stringContaining(`to another origin, http://127.0.0.1:${target.port}`),
    });
    expect(target.received).toHaveLength(1);
  });
});

describe('scheme, host and port make the origin', () => {
  const hop: Hop = { url: new URL('https://a.example/from'), method: 'GET', headers: configured, body: null };
  it.each<[location: string, isSame: boolean]>([
    ['https://a.example:443/to', true],
    ['HTTPS://A.EXAMPLE/to', true],
    ['http://a.example/to', false],
    ['http://a.example:443/to', false],
    ['https://a.example:8443/to', false],
    ['https://www.a.example/to', false],
    ['https://a.example.org/to', false],
    ['https://a.example@b.example/to', false],
    ['https://b.example\\@a.example/to', false],
    ['//b.example/to', false],
  ])('%s: %s', (location, isSame) => {
    const next = findNextHop(hop, 302, location)!;
    expect(JSON.stringify(next.headers).includes(SECRET)).toBe(isSame);
    const posted = () => findNextHop({ ...hop, method: 'POST', body }, 307, location);
    if (isSame) expect(posted()).toMatchObject({ body });
    else expect(posted).toThrow('must not receive its body');
  });

  it('nothing of the first origin reaches another, whatever the location', () => {
    const part = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      'a.example',
      'b.example',
      ':443',
      '@',
      '?',
      '#',
      '..',
      'x',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.constantFrom(...statuses),
        fc.boolean(),
        (parts, status, isPost) => {
          const requested: Hop = isPost ? { ...hop, method: 'POST', body } : hop;
          let next: Hop | null = null;
          try {
            next = findNextHop(requested, status, parts.join(''));
          } catch (error) {
            expect(error).toMatchObject({ code: 'http_redirect_refused' });
          }
          if (next === null || next.url.origin === hop.url.origin) return;
          expect(isPost).toBe(false);
          expect(JSON.stringify(next)).not.toContain(SECRET);
        },
      ),
    );
  });
});

describe('ends', () => {
  it('if the publisher redirects in a loop, at the first repeated step', async () => {
    const { received, port } = await serve({ status: 302, location: '/from/again' });
    await expect(send(`http://127.0.0.1:${port}/from?key=${SECRET}`)).rejects.toMatchObject({
      code: 'http_redirect_loop',
      message: `http://127.0.0.1:${port}/from redirects without end`,
      isRetryable: false,
    });
    expect(received).toHaveLength(2);
  });

  it('if every step leads to a new one', async () => {
    let steps = 0;
    const server = createServer((_, response) => response.writeHead(302, { location: `/from/${++steps}` }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(send(`http://127.0.0.1:${port}/from`)).rejects.toMatchObject({ code: 'http_redirect_loop' });
    expect(steps).toBe(MAX_REDIRECTS + 1);
  });

  it.each([
    ['ftp://a.example/feed.zip', 'is redirected to an address of ftp:'],
    ['file:///etc/passwd', 'is redirected to an address of file:'],
    ['http://', 'is redirected to an invalid address'],
  ])('at %s', async (location, words) => {
    const { port } = await serve({ status: 302, location });
    await expect(send(`http://127.0.0.1:${port}/from?key=${SECRET}`)).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message: `GET http://127.0.0.1:${port}/from ${words}`,
    });
  });

  it.each([300, 304.5, 305])('at a status other than a redirect: %i', (status) => {
    const hop: Hop = { url: new URL('https://a.example/'), method: 'GET', headers: {}, body: null };
    expect(findNextHop(hop, status, '/to')).toBeNull();
    expect(findNextHop(hop, 302, null)).toBeNull();
  });
});

it('no request of the service bypasses these rules', () => {
  const rooms = ['api', 'jobs', 'pipeline'];
  const files = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => `${room}/${name}`),
  );
  const senders = files.filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !file.startsWith('api/site/browser/') &&
      /\bfetch\([^)]|\bhttps?\.(get|request)\(/.test(withoutComments(file)),
  );
  // The connections of `fetchHttp`, and a request that a guide shows; pages call their own service from a browser.
  expect(senders.sort()).toEqual(['api/site/pages/guides.ts', 'pipeline/effects/http-connections.ts']);
});

function withoutComments(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}
