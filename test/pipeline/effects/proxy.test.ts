import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../../pipeline/effects/http.ts';
import { openConnections } from '../../../pipeline/effects/http-connections.ts';
import { readProxyRules } from '../../../pipeline/effects/proxy.ts';

describe('selects the proxy of a request', () => {
  const both = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3128' };
  it.each<[environment: Record<string, string>, url: string, proxy: string | null]>([
    [{}, 'https://a.example/', null],
    [both, 'https://a.example/', 'http://secure:3128'],
    [both, 'http://a.example/', 'http://plain:3128'],
    [{ HTTP_PROXY: 'http://plain:3128' }, 'https://a.example/', null],
    [{ HTTPS_PROXY: 'http://secure:3128' }, 'http://a.example/', null],
    [{ ALL_PROXY: 'http://all:3128' }, 'https://a.example/', 'http://all:3128'],
    [{ ...both, ALL_PROXY: 'http://all:3128' }, 'https://a.example/', 'http://secure:3128'],
    [{ ...both, https_proxy: 'http://lower:1' }, 'https://a.example/', 'http://lower:1'],
    [{ ...both, https_proxy: '' }, 'https://a.example/', 'http://secure:3128'],
    [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://a.example/', 'http://proxy.example:3128'],
    [{ HTTPS_PROXY: 'https://proxy.example' }, 'https://a.example/', 'https://proxy.example'],
    // This machine, e.g. the API of `up`.
    [both, 'http://127.0.0.1:8080/', null],
    [both, 'http://localhost:8080/', null],
    [both, 'http://api.localhost/', null],
    [both, 'http://[::1]:8080/', null],
  ])('%j, %s: %s', (environment, url, proxy) => {
    expect(readProxyRules(environment).findProxy(new URL(url))?.origin ?? null).toBe(proxy);
  });

  it.each<[noProxy: string, url: string, isDirect: boolean]>([
    ['', 'https://a.example/', false],
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true],
    ['a.example', 'https://x.a.example/', true],
    ['.a.example', 'https://x.a.example/', true],
    ['.a.example', 'https://a.example/', true],
    ['*.a.example', 'https://x.y.a.example/', true],
    ['a.example', 'https://ba.example/', false],
    ['a.example', 'https://a.example.org/', false],
    ['A.Example.', 'https://a.EXAMPLE./', true],
    ['b.example,a.example', 'https://a.example/', true],
    ['b.example  a.example', 'https://a.example/', true],
    [', b.example , a.example,', 'https://a.example/', true],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:80', 'http://a.example/', true],
    ['10.0.0.0/8', 'https://10.20.30.40/', true],
    ['10.0.0.0/8', 'https://11.20.30.40/', false],
    ['10.0.0.0/8', 'https://a.example/', false],
    ['192.0.2.7', 'https://192.0.2.7:8443/', true],
    ['192.0.2.7:443', 'https://192.0.2.7:8443/', false],
    ['192.0.2.7', 'https://192.0.2.77/', false],
    ['2001:db8::1', 'https://[2001:db8:0::1]/', true],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443/', true],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]/', false],
    ['2001:db8::/32', 'https://[2001:db8:1::1]/', true],
  ])('NO_PROXY="%s": %s', (noProxy, url, isDirect) => {
    const { findProxy } = readProxyRules({ ...both, no_proxy: noProxy });
    expect(findProxy(new URL(url)) === null).toBe(isDirect);
  });

  it.each([
    [{ HTTPS_PROXY: 'socks5://me:secret@proxy:1080' }, /^HTTPS_PROXY must be the address of an HTTP proxy/],
    [{ http_proxy: 'http://' }, /^http_proxy must be/],
    [{ NO_PROXY: '10.0.0.0/99' }, /^"10\.0\.0\.0\/99" in NO_PROXY must be/],
    [{ NO_PROXY: 'a.*.example' }, /in NO_PROXY must be/],
    [{ NO_PROXY: '[::1' }, /in NO_PROXY must be/],
  ])('rejects %j', (environment, message) => {
    const read = () => readProxyRules(environment);
    expect(read).toThrow(expect.objectContaining({ code: 'proxy_invalid', message: expect.stringMatching(message) }));
    expect(read).not.toThrow('secret');
  });

  it('is described without credentials', () => {
    const rules = readProxyRules({ HTTPS_PROXY: 'http://me:secret@proxy:3128', NO_PROXY: 'a.example,10.0.0.0/8' });
    expect(rules.description).toBe(
      'https requests go through http://proxy:3128 (HTTPS_PROXY), except to a.example, 10.0.0.0/8',
    );
    expect(readProxyRules({ NO_PROXY: 'a.example' }).description).toBeNull();
  });
});

describe('a proxy', () => {
  async function listen(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const request = (url: string) => ({ url, timeoutSeconds: 10, maxBytes: 1000 });

  it('receives a plain request entirely, with its own credentials', async () => {
    const received: unknown[] = [];
    const host = await listen(
      createServer(({ method, url, headers }, response) => {
        received.push([method, url, headers.host, headers['proxy-authorization'], headers['x-api-key']]);
        response.end('through the proxy');
      }),
    );
    const http = createHttp(openConnections({ environment: { HTTP_PROXY: `http://me:pass@${host}` } }));
    const { body } = await http({ ...request('http://feeds.example/gtfs.zip?a=1'), headers: { 'x-api-key': 'k' } });
    expect((await buffer(body!)).toString()).toBe('through the proxy');
    const credentials = `Basic ${Buffer.from('me:pass').toString('base64')}`;
    expect(received).toEqual([['GET', 'http://feeds.example/gtfs.zip?a=1', 'feeds.example', credentials, 'k']]);
  });

  it('opens a tunnel for HTTPS, and receives no request', async () => {
    const tunnels: unknown[] = [];
    const server = createServer((_, response) => response.end());
    server.on('connect', ({ url }, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', (bytes: Buffer) => {
        tunnels.push([url, bytes[0]]);
        socket.destroy();
      });
    });
    const host = await listen(server);
    const http = createHttp(openConnections({ environment: { HTTPS_PROXY: `http://me:secret@${host}` } }));
    await expect(http(request('https://feeds.example/gtfs.zip?key=secret'))).rejects.toMatchObject({
      code: 'http_unreachable',
      message: `https://feeds.example/gtfs.zip by way of the proxy http://${host} cannot be reached`,
    });
    const TLS_HANDSHAKE = 0x16;
    expect(tunnels[0]).toEqual(['feeds.example:443', TLS_HANDSHAKE]);
  });

  it('is not used for this machine or an exception', async () => {
    const proxy = await listen(createServer((_, response) => response.writeHead(500).end()));
    const target = await listen(createServer((_, response) => response.end('direct')));
    const environment = { HTTP_PROXY: `http://${proxy}`, NO_PROXY: '127.0.0.0/8' };
    const { body } = await createHttp(openConnections({ environment }))(request(`http://${target}/`));
    expect((await buffer(body!)).toString()).toBe('direct');
  });

  it('with an invalid variable fails each request and names the variable', async () => {
    const http = createHttp(openConnections({ environment: { HTTPS_PROXY: 'ftp://proxy' } }));
    await expect(http(request('https://a.example/'))).rejects.toMatchObject({ code: 'proxy_invalid' });
  });

  it('leads to no private address of a public source', async () => {
    const host = await listen(
      createServer((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()),
    );
    const resolve = async () => {
      throw new Error('no such name');
    };
    const http = createHttp(openConnections({ environment: { HTTP_PROXY: `http://${host}` }, resolve }));
    await expect(http(request('http://feeds.example/gtfs.zip'))).rejects.toMatchObject({
      code: 'http_redirect_refused',
      message: expect.stringMatching(/^GET http:\/\/feeds\.example\/gtfs\.zip is redirected to http:\/\/169\.254/),
    });
  });
});
