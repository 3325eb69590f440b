import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export interface RunningServer {
  /** Address for a browser on this machine. */
  readonly url: string;
  /** Accepts connections for another `acceptMilliseconds`, then stops accepting and lets running requests finish. */
  close(): Promise<void>;
}

interface ServerOptions {
  readonly app: FastifyInstance;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly graceMilliseconds?: number;
  /** How long a closing server still accepts connections, until load balancers notice and stop sending requests. */
  readonly acceptMilliseconds?: number;
  /**
   * Time for keep-alive connections to end with a `Connection: close` response before the server stops accepting:
   * closing one between two requests would lose the second.
   */
  readonly drainMilliseconds?: number;
}

/** Grace period of running requests. With the drain before and the end of threads after it: under ten seconds. */
const DEFAULT_GRACE_MILLISECONDS = 3000;
const IDLE_SWEEP_MILLISECONDS = 50;
const DRAIN_CHECK_MILLISECONDS = 20;

/** @throws the system error (EADDRINUSE, EACCES) if it cannot listen */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, host, port, acceptMilliseconds = 0, drainMilliseconds = 0 } = options;
  const { graceMilliseconds = DEFAULT_GRACE_MILLISECONDS } = options;
  const drain = announceEnds(app);
  // For "localhost" Fastify opens a second server without our handlers for requests that Node itself refuses.
  await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  const address = app.server.address() as AddressInfo;
  return {
    url: serverUrl(address.address, address.port),
    async close() {
      await drain(acceptMilliseconds, drainMilliseconds);
      // Node closes only connections that are idle at the start; others become idle after their last response.
      const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MILLISECONDS);
      const deadline = setTimeout(() => app.server.closeAllConnections(), graceMilliseconds);
      try {
        await app.close();
      } finally {
        clearInterval(sweep);
        clearTimeout(deadline);
      }
    },
  };
}

/**
 * Prepares to close keep-alive connections gracefully.
 * @returns a function that sends `Connection: close` with every response: for one period, then until no connection is
 * left or a second period has passed
 */
function announceEnds(app: FastifyInstance): (acceptMilliseconds: number, drainMilliseconds: number) => Promise<void> {
  let isEnding = false;
  app.server.prependListener('request', (_request, response) => {
    if (isEnding) response.setHeader('connection', 'close');
  });
  return async (acceptMilliseconds, drainMilliseconds) => {
    isEnding = true;
    await wait(acceptMilliseconds);
    const end = performance.now() + drainMilliseconds;
    while (performance.now() < end && (await countConnections(app)) > 0) await wait(DRAIN_CHECK_MILLISECONDS);
  };
}

function countConnections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}

/** URL that a browser on this machine opens to reach a server on `host` and `port`. */
export function serverUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
