import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverToCommand, deliverToWebhook } from '../../../pipeline/effects/deliver-json.ts';

describe('a command', () => {
  const run = (code: string, ...args: string[]) => deliverToCommand([process.execPath, '-e', code, ...args], 20);

  it('reads the text from stdin, and receives its arguments unchanged', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-alert-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'told');
    const code = `let text = ''; process.stdin.on('data', (part) => { text += part; });
      process.stdin.on('end', () => require('fs').writeFileSync(process.argv[1], text + process.argv[2]));`;
    await run(code, file, '; rm -rf "$HOME"')('{"a":1}');
    expect(await readFile(file, 'utf8')).toBe('{"a":1}; rm -rf "$HOME"');
  });

  it.each([
    ['exits with a code', 'console.error("no route"); process.exit(3)', /ended with 3: no route$/],
    ['exits without reading', 'process.exit(4)', /ended with 4$/],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', /ended with SIGKILL$/],
  ])('that %s has failed', async (_what, code, message) => {
    await expect(run(code)(JSON.stringify('x'.repeat(1_000_000)))).rejects.toMatchObject({
      code: 'command_failed',
      message: expect.stringMatching(message),
    });
  });

  it('that does not end is killed', async () => {
    const deliver = deliverToCommand([process.execPath, '-e', 'setInterval(() => {}, 1000)'], 1);
    await expect(deliver('{}')).rejects.toThrow('took more than 1 s');
  });

  it('that does not exist has failed', async () => {
    await expect(deliverToCommand(['/no/such/program'], 5)('{}')).rejects.toThrow(/cannot be started/);
  });
});

describe('a webhook', () => {
  async function serve(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('receives the text by POST', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      seen.push([request.method, request.url, request.headers['content-type'], Buffer.concat(parts).toString()]);
      response.writeHead(204).end();
    });
    await deliverToWebhook(`${url}/hook?key=secret`, 5)('{"a":1}');
    expect(seen).toEqual([['POST', '/hook?key=secret', 'application/json', '{"a":1}']]);
  });

  it.each([
    [302, false],
    [308, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
  ])('that responds %i has failed; retryable: %s', async (status, isRetryable) => {
    const urls: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      urls.push(request.url);
      response.writeHead(status, { location: '/elsewhere' }).end('no');
    });
    const failure = await deliverToWebhook(`${url}/hook?key=secret`, 5)('{}').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'webhook_failed', isRetryable });
    expect(String(failure)).not.toContain('secret');
    expect(urls).toEqual(['/hook?key=secret']);
  });

  it('that does not respond has failed', async () => {
    const url = await serve(() => {});
    await expect(deliverToWebhook(url, 1)('{}')).rejects.toThrow('did not answer within 1 s');
    await expect(deliverToWebhook('http://127.0.0.1:9/key', 5)('{}')).rejects.toThrow('cannot be reached');
  });
});
