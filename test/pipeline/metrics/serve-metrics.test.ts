import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../../pipeline/metrics/metrics.ts';
import { serveMetrics } from '../../../pipeline/metrics/serve-metrics.ts';

async function open(findTrouble = (): string | null => null) {
  const server = await serveMetrics({ metrics: createMetrics(), host: '127.0.0.1', port: 0, findTrouble });
  onTestFinished(() => server.close());
  return async (path: string, method = 'GET') => {
    const response = await fetch(server.url + path, { method });
    return [response.status, await response.text(), response.headers.get('content-type')] as const;
  };
}

it('answers metrics in the format of Prometheus', async () => {
  const [status, text, type] = await (await open())('/metrics?name=x');
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(text).toContain('# TYPE taktgeber_ready gauge');
});

it('distinguishes live from ready', async () => {
  let trouble: string | null = 'starting';
  const get = await open(() => trouble);
  expect((await get('/live'))[0]).toBe(200);
  expect((await get('/ready')).slice(0, 2)).toEqual([503, 'not ready: starting\n']);
  trouble = null;
  expect((await get('/ready')).slice(0, 2)).toEqual([200, 'ready\n']);
});

it.each([
  ['/', 'GET', 404],
  ['/metrics/', 'GET', 404],
  ['/metrics', 'POST', 405],
  ['/ready', 'DELETE', 405],
  ['/ready', 'HEAD', 200],
])('%s by %s is answered %i', async (path, method, status) => {
  expect((await (await open())(path, method))[0]).toBe(status);
});

it('a port in use is a system error', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const options = { metrics: createMetrics(), host: '127.0.0.1', port, findTrouble: () => null };
  await expect(serveMetrics(options)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
