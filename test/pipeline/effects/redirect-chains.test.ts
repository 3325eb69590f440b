import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp, fetchHttp, type Http } from '../../../pipeline/effects/http.ts';
import { openConnections } from '../../../pipeline/effects/http-connections.ts';

/** Loopback addresses stand for the public network and for two private ones. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const NEIGHBOUR = '127.0.0.3';

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': [PUBLIC],
  'private.example': [PRIVATE],
  'both.example': [PRIVATE, PUBLIC],
};

const http = createHttp(
  openConnections({
    environment: {},
    resolve: async (name) => names[name]!.map((address) => ({ address, family: 4 })),
    isPublic: (address) => address === PUBLIC,
  }),
);

async function serve(answer: RequestListener, address = PUBLIC): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const redirectTo =
  (location: string): RequestListener =>
  (_, response) =>
    response.writeHead(302, { location }).end();

async function get(url: string, send: Http = http, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await send({ url, headers, timeoutSeconds: 10, maxBytes: 1000 });
  return text(Readable.from(body!));
}

describe('a public source', () => {
  it.each([
    ['an address', PRIVATE],
    ['a name', 'private.example'],
  ])('is not followed to a private address, given as %s', async (_what, host) => {
    const received: unknown[] = [];
    const secret = await serve((request, response) => {
      received.push(request.url);
      response.end('secret');
    }, PRIVATE);
    const port = await serve(redirectTo(`http://${host}:${secret}/latest?x=1`));
    await expect(get(`http://${PUBLIC}:${port}/feed.zip?key=secret`)).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message:
        `GET http://${PUBLIC}:${port}/feed.zip is redirected to http://${host}:${secret}, a private address, ` +
        'but is itself public',
      isRetryable: false,
    });
    expect(received).toEqual([]);
  });

  it('fails at the hop that leads there, which the message names', async () => {
    const second = await serve(redirectTo(`http://${PRIVATE}:1/`));
    const first = await serve(redirectTo(`http://public.example:${second}/second`));
    await expect(get(`http://${PUBLIC}:${first}/first`)).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message: expect.stringContaining(
        `GET http://public.example:${second}/second is redirected to http://${PRIVATE}:1`,
      ),
    });
  });

  it('reaches the public address of a name that also has a private one', async () => {
    const files = await serve((_, response) => response.end('public'));
    const port = await serve(redirectTo(`http://both.example:${files}/`));
    expect(await get(`http://${PUBLIC}:${port}/`)).toBe('public');
  });
});

it('a private source may redirect to its neighbours', async () => {
  const files = await serve((_, response) => response.end('here'), NEIGHBOUR);
  const port = await serve(redirectTo(`http://${NEIGHBOUR}:${files}/`), PRIVATE);
  expect(await get(`http://${PRIVATE}:${port}/`)).toBe('here');
});

describe('a failure after a redirect names both addresses', () => {
  it.each<[reason: string, answer: RequestListener, message: string, code: string]>([
    ['a status', (_, response) => response.writeHead(404).end(), 'answered 404', 'http_status'],
    ['no response', (request) => request.socket.destroy(), 'cannot be reached', 'http_unreachable'],
  ])('%s', async (_reason, answer, message, code) => {
    const files = await serve(answer);
    const port = await serve(redirectTo(`http://127.0.0.1:${files}/b.zip?token=other`));
    await expect(get(`http://127.0.0.1:${port}/a.zip?key=secret`)).rejects.toMatchObject({
      code,
      message: `http://127.0.0.1:${port}/a.zip, redirected to http://127.0.0.1:${files}/b.zip, ${message}`,
    });
  });
});

describe('cookies of a redirect', () => {
  /** Redirects to itself until it receives the cookie that it sets. */
  const gate: RequestListener = ({ headers, url = '' }, response) => {
    if (headers.cookie?.includes('pass=1')) return response.end(`in with ${headers.cookie}`);
    return response.writeHead(302, { location: url, 'set-cookie': ['pass=1; Path=/', 'other=2; Path=/x'] }).end();
  };

  it('are sent back to their origin, beside a configured one', async () => {
    const port = await serve(gate);
    expect(await get(`http://${PUBLIC}:${port}/feed.zip`)).toBe('in with pass=1');
    expect(await get(`http://${PUBLIC}:${port}/feed.zip`, http, { Cookie: 'key=k' })).toBe('in with key=k; pass=1');
  });

  it('are dropped after the request', async () => {
    const received: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      received.push(request.headers.cookie);
      gate(request, response);
    });
    for (const _ of [1, 2]) await get(`http://${PUBLIC}:${port}/`);
    expect(received).toEqual([undefined, 'pass=1', undefined, 'pass=1']);
  });

  it('are sent to no other origin, and again to their own after another one', async () => {
    const received: (string | undefined)[] = [];
    const back = { port: 0 };
    const other = await serve(({ headers }, response) => {
      received.push(headers.cookie);
      response.writeHead(302, { location: `http://${PUBLIC}:${back.port}/end` }).end();
    });
    back.port = await serve(({ headers, url }, response) => {
      if (url === '/end') return response.end(headers.cookie);
      const location = `http://${PUBLIC}:${other}/login`;
      return response.writeHead(302, { location, 'set-cookie': 'pass=1; Path=/' }).end();
    });
    expect(await get(`http://${PUBLIC}:${back.port}/start`, http, { cookie: 'key=secret' })).toBe('pass=1');
    expect(received).toEqual([undefined]);
  });

  it('do not make a loop endless', async () => {
    let count = 0;
    const port = await serve((_, response) => {
      response.writeHead(302, { location: '/', 'set-cookie': `id=${++count}` }).end();
    });
    await expect(get(`http://${PUBLIC}:${port}/`, fetchHttp)).rejects.toMatchObject({ code: 'http_redirect_loop' });
    expect(count).toBe(11);
  });
});
