import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

export interface MetricsServerOptions {
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Why this process should get no work at present, in a few words; null: it is ready. */
  findTrouble(): string | null;
}

export interface MetricsServer {
  /** Address without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Prometheus keeps one connection; other readers need few. */
const MAX_CONNECTIONS = 32;
const REQUEST_MILLISECONDS = 5000;

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Serves `/metrics` to Prometheus, and to an orchestrator `/live` (the process answers) and `/ready` (send it work, or
 * 503 with the reason). It is apart from the api: its address is for operators alone.
 * @throws the system error (EADDRINUSE, EACCES) when it cannot listen there
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    answer(request, options).then(
      (page) => send(request, response, page),
      () => send(request, response, toText(500, 'the metrics could not be read')),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_MILLISECONDS;
  server.headersTimeout = REQUEST_MILLISECONDS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer({ method, url }: IncomingMessage, { metrics, findTrouble }: MetricsServerOptions): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return toText(405, 'only GET is answered here');
  switch (url?.replace(/\?.*$/, '')) {
    case '/metrics': {
      const { text, contentType } = await metrics.scrape();
      return { status: 200, contentType, text };
    }
    case '/live':
      return toText(200, 'live');
    case '/ready': {
      const trouble = findTrouble();
      return trouble === null ? toText(200, 'ready') : toText(503, `not ready: ${trouble}`);
    }
    default:
      return toText(404, 'there are /metrics, /live and /ready');
  }
}

function toText(status: number, text: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, contentType, text }: Page): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : text);
}
