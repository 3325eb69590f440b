import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchHttp, type HttpRequest, readBody, withoutCredentials } from '../../../pipeline/effects/http.ts';

/** A server in this process; its address stands for a remote host. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, more: Partial<HttpRequest> = {}) =>
  fetchHttp({ url, timeoutSeconds: 10, maxBytes: 1000, ...more });

it('returns status, headers and body', async () => {
  const host = await serve((request, response) => {
    response.setHeader('etag', '"1"').end(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
  });
  const answer = await get(`http://${host}/feed.zip?key=1`, { headers: { 'x-api-key': 'k' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toBe('"1"');
  expect((await buffer(answer.body!)).toString()).toBe('GET /feed.zip?key=1 k');
});

it('posts a body', async () => {
  const host = await serve(async (request, response) => {
    response.end(`${request.method} ${request.headers['content-type']} ${await buffer(request)}`);
  });
  const headers = { 'content-type': 'text/xml' };
  const answer = await get(`http://${host}/trias`, { method: 'POST', headers, body: '<Trias/>' });
  expect(Buffer.from(await readBody(answer.body!)).toString()).toBe('POST text/xml <Trias/>');
});

it('decompresses a compressed body, whose Content-Length counts other bytes', async () => {
  const packed = gzipSync('x'.repeat(900));
  const host = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
  });
  const answer = await get(`http://${host}/`);
  expect((await readBody(answer.body!)).length).toBe(900);
});

it('has no body for an unchanged resource', async () => {
  const host = await serve((_, response) => response.writeHead(304).end());
  expect(await get(`http://${host}/`)).toMatchObject({ status: 304, body: null });
});

it('sends user and password of a URL as the Authorization header', async () => {
  const host = await serve((request, response) => response.end(`${request.headers.authorization} ${request.url}`));
  const answer = await get(`http://me%40home:pass%20word@${host}/feed.zip`);
  const [scheme, credentials, url] = (await buffer(answer.body!)).toString().split(' ');
  expect([scheme, Buffer.from(credentials!, 'base64').toString(), url]).toEqual([
    'Basic',
    'me@home:pass word',
    '/feed.zip',
  ]);
});

describe('fails with one sentence without credentials', () => {
  it.each([
    [500, true],
    [503, true],
    [429, true],
    [404, false],
    [401, false],
  ])('status %i', async (status, isRetryable) => {
    const host = await serve((_, response) => response.writeHead(status).end('why'));
    await expect(get(`http://user:secret@${host}/feed.zip?key=secret`)).rejects.toMatchObject({
      code: 'http_status',
      message: `http://${host}/feed.zip answered ${status}`,
      isRetryable,
    });
  });

  it('reports the status and when to retry', async () => {
    const host = await serve((_, response) => response.writeHead(503, { 'retry-after': '120' }).end());
    await expect(get(`http://${host}/`)).rejects.toMatchObject({ status: 503, retryAfter: '120' });
  });

  it('a redirect loop', async () => {
    const host = await serve((_, response) => response.writeHead(302, { location: '/feed.zip?key=secret' }).end());
    await expect(get(`http://${host}/feed.zip?key=secret`)).rejects.toMatchObject({
      code: 'http_redirect_loop',
      message: `http://${host}/feed.zip redirects without end`,
      isRetryable: false,
    });
  });

  it('a refused connection', async () => {
    const server = await serve(() => {});
    const nobody = server.replace(/\d+$/, '1');
    await expect(get(`http://${nobody}/feed.zip?key=secret`)).rejects.toMatchObject({
      code: 'http_unreachable',
      message: `http://${nobody}/feed.zip cannot be reached`,
      isRetryable: true,
    });
  });

  it('no response in time', async () => {
    const host = await serve(() => {});
    await expect(get(`http://${host}/feed.zip?key=secret`, { timeoutSeconds: 0.05 })).rejects.toMatchObject({
      code: 'http_timeout',
      message: `http://${host}/feed.zip took longer than 0.05 s`,
      isRetryable: true,
    });
  });

  it('a body that stops half way', async () => {
    const host = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const answer = await get(`http://${host}/feed.zip?key=secret`);
    await expect(buffer(answer.body!)).rejects.toMatchObject({
      code: 'http_cut_off',
      message: `http://${host}/feed.zip stopped sending before the end`,
      isRetryable: true,
    });
  });

  const cutOff: readonly [title: string, headers: Record<string, string>, sent: Uint8Array][] = [
    ['normally, before its announced length', { 'content-length': '100', connection: 'close' }, Buffer.from('half')],
    ['in the middle of a chunked body', {}, Buffer.from('half')],
    ['in the middle of a compressed body', { 'content-encoding': 'gzip' }, gzipSync('x'.repeat(5000)).subarray(0, 20)],
  ];
  it.each(cutOff)('a connection that closes %s', async (_title, headers, sent) => {
    const host = await serve((request, response) => {
      response.writeHead(200, headers);
      response.write(sent, () => request.socket.end());
    });
    const answer = await get(`http://${host}/feed.zip`);
    await expect(buffer(answer.body!)).rejects.toMatchObject({ code: 'http_cut_off' });
  });

  it('a body that does not end in time', async () => {
    const host = await serve((_, response) => response.writeHead(200).write('half'));
    const answer = await get(`http://${host}/feed.zip`, { timeoutSeconds: 1 });
    await expect(buffer(answer.body!)).rejects.toMatchObject({ code: 'http_timeout', isRetryable: true });
  });

  it('more bytes than permitted, whatever the header announced', async () => {
    const host = await serve((_, response) => response.end('x'.repeat(1001)));
    const answer = await get(`http://${host}/feed.zip?key=secret`);
    await expect(buffer(answer.body!)).rejects.toMatchObject({
      code: 'http_too_large',
      message: `http://${host}/feed.zip sent more than 1000 bytes`,
      isRetryable: false,
    });
  });
});

describe('aborts on its signal', () => {
  const reason = new Error('enough');

  it('before the response', async () => {
    const stop = new AbortController();
    const host = await serve(() => stop.abort(reason));
    await expect(get(`http://${host}/`, { signal: stop.signal })).rejects.toBe(reason);
  });

  it('in the middle of the body', async () => {
    const stop = new AbortController();
    const host = await serve((_, response) => response.writeHead(200).write('half'));
    const answer = await get(`http://${host}/`, { signal: stop.signal });
    stop.abort(reason);
    await expect(buffer(answer.body!)).rejects.toBe(reason);
  });
});

it.each([
  ['https://user:secret@example.org/a/feed.zip?key=secret#part', 'https://example.org/a/feed.zip'],
  ['HTTP://example.org:8080', 'http://example.org:8080/'],
  ['/data/feed.zip', '/data/feed.zip'],
  ['C:\\data\\feed.zip', 'C:\\data\\feed.zip'],
])('shows %s as %s', (location, shown) => {
  expect(withoutCredentials(location)).toBe(shown);
});
