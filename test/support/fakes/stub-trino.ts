import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TypeSignature } from '../../../pipeline/scale-out/trino/trino-values.ts';

/** Response of the stub to one statement: pages of rows, optionally followed by a failure. */
export interface StubAnswer {
  /** By name: the type, e.g. `bigint`. */
  readonly columns?: Readonly<Record<string, string | TypeSignature>>;
  readonly pages?: readonly (readonly (readonly unknown[])[])[];
  readonly error?: { readonly message: string; readonly errorName: string; readonly errorType: string };
  /** Answers that the server is busy instead of this page, which the next request returns. */
  readonly busyAt?: number;
  /** Closes the connection instead of returning this page. */
  readonly breakAt?: number;
  /** The same, but the next request returns the page. */
  readonly breakOnceAt?: number;
  /** Never returns this page. */
  readonly hangAt?: number;
  /** HTTP status of the first response. */
  readonly status?: number;
  /** Body that replaces this page, or the first response, with status 200. */
  readonly bodyAt?: { readonly page: number | 'statement'; readonly body: string };
}

interface StubTrino {
  readonly url: string;
  /** Statements in order of arrival, with their headers. */
  readonly statements: { readonly sql: string; readonly headers: IncomingMessage['headers'] }[];
  /** Ids of statements that the client cancelled. */
  readonly cancelled: string[];
  answer(sql: string): StubAnswer;
  stop(): Promise<void>;
}

/** A stub of Trino's REST protocol. @see Trino documentation, "Client REST API" */
export async function startStubTrino(answer: (sql: string) => StubAnswer): Promise<StubTrino> {
  const answers: StubAnswer[] = [];
  const busy = new Set<string>();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stub: StubTrino = {
    url,
    statements: [],
    cancelled: [],
    answer,
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  onTestFinished(() => stub.stop());

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, ...parts] = request.url!.slice('/v1'.length).split('/');
    if (request.method === 'DELETE') {
      stub.cancelled.push(parts[0]!);
      response.writeHead(204).end();
      return;
    }
    if (kind === 'statement' && request.method === 'POST') {
      let sql = '';
      for await (const chunk of request) sql += chunk;
      stub.statements.push({ sql, headers: request.headers });
      const scripted = stub.answer(sql);
      answers.push(scripted);
      const id = String(answers.length - 1);
      if (scripted.status !== undefined) response.writeHead(scripted.status).end();
      else if (scripted.bodyAt?.page === 'statement') response.writeHead(200).end(scripted.bodyAt.body);
      else send(response, { id, nextUri: `${url}/v1/next/${id}/0`, stats: { state: 'QUEUED' } });
      return;
    }
    const [id, page] = parts as [string, string];
    sendPage(response, request, { id, number: Number(page) });
  }

  function sendPage(
    response: ServerResponse,
    request: IncomingMessage,
    { id, number }: { readonly id: string; readonly number: number },
  ): void {
    const { columns = {}, pages = [], error, busyAt, breakAt, breakOnceAt, hangAt, bodyAt } = answers[Number(id)]!;
    if (hangAt === number) return;
    if (breakAt === number) return void request.socket.destroy();
    if (bodyAt?.page === number) return void response.writeHead(200).end(bodyAt.body);
    if ((busyAt === number || breakOnceAt === number) && !busy.has(id)) {
      busy.add(id);
      if (busyAt === number) response.writeHead(503).end();
      else request.socket.destroy();
      return;
    }
    const isLast = number >= pages.length - (error ? 0 : 1);
    if (error && isLast) {
      send(response, { id, error, stats: { state: 'FAILED' } });
      return;
    }
    send(response, {
      id,
      columns: Object.entries(columns).map(([name, type]) => describe(name, type)),
      data: pages[number] ?? [],
      stats: { state: isLast ? 'FINISHED' : 'RUNNING' },
      ...(isLast ? {} : { nextUri: `${url}/v1/next/${id}/${number + 1}` }),
    });
  }
  return stub;
}

function describe(name: string, type: string | TypeSignature): object {
  const typeSignature = typeof type === 'string' ? { rawType: type, arguments: [] } : type;
  return { name, type: typeSignature.rawType, typeSignature };
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
