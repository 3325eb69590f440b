import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { type ProblemCode, problems } from '../../api/contract/problems.ts';
import { startServer } from '../../api/server.ts';
import { boardHandler, TEST_TIME, testOptions } from './test-app.ts';

type Overrides = Parameters<typeof testOptions>[0];

/** Starts a real server on a free port, and sends it bytes that no HTTP client would send. */
async function openServer(overrides: Overrides = {}) {
  const app = await buildApp(testOptions(overrides));
  const server = await startServer({ app, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  return {
    server,
    app,
    /** Sends the pieces in sequence on one connection, and returns everything received until it closed. */
    exchange(...pieces: readonly string[]): Promise<string> {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
      });
      // A server that closes while we still write resets the connection; what it sent before counts.
      socket.on('error', () => {});
      for (const piece of pieces) socket.write(piece);
      return new Promise((resolve) => socket.on('close', () => resolve(received)));
    },
  };
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(': ', 2)).map(([name, value]) => [name!.toLowerCase(), value!]);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), body: rest.join('\r\n\r\n') };
}

function expectRawProblem(text: string, code: ProblemCode) {
  const { status, headers, body } = parseAnswer(text);
  const { title, status: wanted } = problems[code];
  const detail = expect.stringMatching(/^\S.*\.$/);
  expect(JSON.parse(body)).toEqual({ type: `/problems#${code}`, title, status: wanted, detail, code });
  expect(status).toBe(wanted);
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  return headers;
}

const host = 'Host: localhost\r\n';
const close = 'Connection: close\r\n';

const refusals: Record<string, { send: readonly string[]; code: ProblemCode }> = {
  'a line that is not a request': { send: ['HELLO\r\n\r\n'], code: 'invalid_parameter' },
  'a method that nobody knows': { send: [`FETCH / HTTP/1.1\r\n${host}\r\n`], code: 'invalid_parameter' },
  'a version of HTTP that we do not speak': { send: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], code: 'invalid_parameter' },
  'a header without a name': { send: [`GET / HTTP/1.1\r\n${host}: x\r\n\r\n`], code: 'invalid_parameter' },
  'two lengths': {
    send: [`POST /v2/searches HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
    code: 'invalid_parameter',
  },
  'no Host': { send: [`GET /v2/boards/1 HTTP/1.1\r\n${close}\r\n`], code: 'invalid_parameter' },
  'two Hosts': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}Host: elsewhere\r\n${close}\r\n`],
    code: 'invalid_parameter',
  },
  'the same Host twice': {
    send: [`GET / HTTP/1.1\r\n${host}${close}hOST: localhost\r\n\r\n`],
    code: 'invalid_parameter',
  },
  'two Hosts in HTTP/1.0': { send: [`GET / HTTP/1.0\r\n${host}Host: elsewhere\r\n\r\n`], code: 'invalid_parameter' },
  'two Hosts of a path that there is not': {
    send: [`GET /nothing HTTP/1.1\r\n${host}Host: elsewhere\r\n${close}\r\n`],
    code: 'invalid_parameter',
  },
  'a chunk without a size': {
    send: [
      `POST /v2/searches HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    code: 'invalid_body',
  },
  'an address over 24 KiB': {
    send: [`GET /v2/boards/${'x'.repeat(25_000)} HTTP/1.1\r\n${host}${close}\r\n`],
    code: 'uri_too_long',
  },
  'an address beyond what Node reads': {
    send: [`GET /${'x'.repeat(60_000)} HTTP/1.1\r\n${host}\r\n`],
    code: 'uri_too_long',
  },
  'headers over 16 KiB': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}${close}X-Large: ${'x'.repeat(17_000)}\r\n\r\n`],
    code: 'headers_too_large',
  },
  'headers beyond what Node reads': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}X-Large: ${'x'.repeat(60_000)}\r\n\r\n`],
    code: 'headers_too_large',
  },
  'a body over 256 KiB, announced': {
    send: [
      `POST /v2/searches HTTP/1.1\r\n${host}${close}Content-Type: application/json\r\nContent-Length: 300000\r\n\r\n`,
    ],
    code: 'payload_too_large',
  },
  'a body over 256 KiB, in chunks': {
    send: [
      `POST /v2/searches HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `${(300_000).toString(16)}\r\n${'x'.repeat(300_000)}\r\n`,
    ],
    code: 'payload_too_large',
  },
  'an expectation that nobody can meet': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}${close}Expect: a-miracle\r\n\r\n`],
    code: 'expectation_failed',
  },
  'an Origin with an expectation': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}${close}Origin: null\r\nExpect: a-miracle\r\n\r\n`],
    code: 'origin_not_allowed',
  },
  'an Origin in the absolute form of the address': {
    send: [`GET http://elsewhere.example/v2/boards/1 HTTP/1.1\r\n${host}${close}Origin: null\r\n\r\n`],
    code: 'origin_not_allowed',
  },
  'an Origin behind more header lines than Node keeps by default': {
    send: [`GET /v2/boards/1 HTTP/1.1\r\n${host}${close}${'a:\r\n'.repeat(2100)}Origin: null\r\n\r\n`],
    code: 'origin_not_allowed',
  },
  'a path without its slash': { send: [`GET v2/boards/1 HTTP/1.1\r\n${host}${close}\r\n`], code: 'invalid_parameter' },
};

describe('refused on the wire', () => {
  test.each(Object.entries(refusals))('%s', async (_name, { send, code }) => {
    const { exchange } = await openServer();
    const headers = expectRawProblem(await exchange(...send), code);
    expect(headers.connection).toBe('close');
  });

  test('a connection error has the time of the given clock', async () => {
    const { exchange } = await openServer();
    expect(parseAnswer(await exchange('HELLO\r\n\r\n')).headers.date).toBe(new Date(TEST_TIME).toUTCString());
  });

  test.each([
    ['before the headers are complete', `GET /v2/boards/1 HTTP/1.1\r\n${host}`],
    [
      'before the body is complete',
      `POST /v2/searches HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"te`,
    ],
  ])('closes connections that go silent %s', async (_name, piece) => {
    const { exchange } = await openServer({ limits: { requestMilliseconds: 60 } });
    expectRawProblem(await exchange(piece), 'request_timeout');
  });
});

test('a refusal on the wire does not corrupt a response in progress', async () => {
  const { exchange } = await openServer();
  // In one piece, so that the second line is parsed before the first response is sent.
  const { status, headers, body } = parseAnswer(
    await exchange(`GET /v2/boards/1 HTTP/1.1\r\n${host}\r\nHELLO\r\n\r\n`),
  );
  expect([status, body.length]).toEqual([200, Number(headers['content-length'])]);
});

test('HTTP/1.0, absolute addresses and 100-continue work', async () => {
  const { exchange } = await openServer();
  expect(parseAnswer(await exchange('GET /v2/boards/1 HTTP/1.0\r\n\r\n')).status).toBe(200);
  const absolute = `GET http://here.example/v2/boards/1 HTTP/1.1\r\n${host}${close}\r\n`;
  expect(parseAnswer(await exchange(absolute)).status).toBe(200);
  const waiting = `POST /v2/searches HTTP/1.1\r\n${host}${close}Content-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n`;
  expect(await exchange(waiting, '{"text":"x"}')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test('answers OPTIONS *', async () => {
  const { exchange } = await openServer();
  const { status, headers } = parseAnswer(await exchange(`OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`));
  expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test('answers HEAD with headers only', async () => {
  const { exchange } = await openServer();
  const { status, headers, body } = parseAnswer(await exchange(`HEAD /v2/boards/1 HTTP/1.1\r\n${host}${close}\r\n`));
  expect([status, body]).toEqual([200, '']);
  expect(Number(headers['content-length'])).toBeGreaterThan(0);
});

describe('closing', () => {
  /** A board whose response the test releases. */
  function heldBoard() {
    const waiting: (() => void)[] = [];
    const handler = {
      ...boardHandler,
      answer: () =>
        new Promise<{ json: object }>((resolve) => {
          waiting.push(() => resolve({ json: { done: true } }));
        }),
    };
    return { waiting, handlers: { 'GET /v2/boards/{id}': handler } };
  }

  test('finishes running requests, closes idle connections, accepts no new ones', async () => {
    const { waiting, handlers } = heldBoard();
    const { server, exchange } = await openServer({ handlers });
    const idle = exchange(`GET /v1/health HTTP/1.1\r\n${host}\r\n`);
    const underWay = exchange(`GET /v2/boards/1 HTTP/1.1\r\n${host}\r\n`);
    await expect.poll(() => waiting.length).toBe(1);
    const closed = server.close();
    await idle;
    expect(await exchange(`GET /v1/health HTTP/1.1\r\n${host}\r\n`)).toBe('');
    for (const proceed of waiting) proceed();
    expect(parseAnswer(await underWay)).toMatchObject({ status: 200, body: '{"done":true}' });
    await closed;
  });

  test('answers requests until load balancers notice, and ends their connections', async () => {
    const app = await buildApp(testOptions());
    const server = await startServer({ app, host: '127.0.0.1', port: 0, acceptMilliseconds: 300 });
    let isClosed = false;
    const closed = server.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      const answer = await fetch(`${server.url}/v2/boards/1`).catch(() => null);
      // The last request may arrive when connections are no longer accepted.
      if (answer === null) break;
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    }
    await closed;
    await expect(fetch(server.url)).rejects.toThrow();
  });

  test('aborts requests that take too long', async () => {
    const { waiting, handlers } = heldBoard();
    const app = await buildApp(testOptions({ handlers }));
    const server = await startServer({ app, host: '127.0.0.1', port: 0, graceMilliseconds: 30 });
    const answer = fetch(`${server.url}/v2/boards/1`).then(
      () => 'answered',
      () => 'cut off',
    );
    await expect.poll(() => waiting.length).toBe(1);
    await server.close();
    expect(await answer).toBe('cut off');
  });
});

test('reports a URL that can be opened', async () => {
  const { server } = await openServer();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const [host, shown] of [
    ['0.0.0.0', 'localhost'],
    ['localhost', '127.0.0.1'],
  ] as const) {
    const other = await startServer({ app: await buildApp(testOptions()), host: host, port: 0 });
    expect(new URL(other.url).hostname).toBe(shown);
    expect((await fetch(other.url)).status).toBe(200);
    await other.close();
  }
});

test('throws the system error for a port in use', async () => {
  const { server } = await openServer();
  const app = await buildApp(testOptions());
  onTestFinished(() => app.close());
  const port = Number(new URL(server.url).port);
  await expect(startServer({ app, host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
