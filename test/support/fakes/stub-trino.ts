import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TypeSignature } from '../../../pipeline/scale-out/trino/trino-values.ts';

/** What the stub says to one statement: pages of rows, and then maybe a failure. */
export interface StubAnswer {
  /** By name: the type, e.g. `bigint`. */
  readonly columns?: Readonly<Record<string, string | TypeSignature>>;
  readonly pages?: readonly (readonly (readonly unknown[])[])[];
  readonly error?: { readonly message: string; readonly errorName: string; readonly errorType: string };
  /** Instead of the page of this number, which comes when it is asked for again. */
  readonly busyAt?: number;
  /** Closes the connection instead of this page. */
  readonly breakAt?: number;
  /** The same, but the page comes when it is asked for again. */
  readonly breakOnceAt?: number;
  /** Never answers this page. */
  readonly hangAt?: number;
  /** Instead of the first answer. */
  readonly status?: number;
  /** Instead of this page, or of the first answer, with 200. */
  readonly bodyAt?: { readonly page: number | 'statement'; readonly body: string };
}

interface StubTrino {
  readonly url: string;
  /** Statements in the order of their arrival, with their headers. */
  readonly statements: { readonly sql: string; readonly headers: IncomingMessage['headers'] }[];
  /** Ids of statements that were ended by their client. */
  readonly cancelled: string[];
  answer(sql: string): StubAnswer;
  stop(): Promise<void>;
}

/** Trino's REST protocol without Trino. @see Trino documentation, "Client REST API" */
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
      const said = stub.answer(sql);
      answers.push(said);
      const id = String(answers.length - 1);
      if (said.status !== undefined) response.writeHead(said.status).end();
      else if (said.bodyAt?.page === 'statement') response.writeHead(200).end(said.bodyAt.body);
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
