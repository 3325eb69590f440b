import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export interface RunningServer {
  /** Address for a browser on this machine. */
  readonly url: string;
  /** Answers on for `acceptMilliseconds`, then accepts no more connections and gives running requests their grace. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly app: FastifyInstance;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly graceMilliseconds?: number;
  /** When it is closed, it accepts connections for so long: a load balancer that has not noticed yet sends more. */
  readonly acceptMilliseconds?: number;
  /**
   * Before it stops accepting, kept connections get this long to end with an answer that says so: closing them between
   * two requests would cost the second one.
   */
  readonly drainMilliseconds?: number;
}

/** With the drain before and the end of threads after it, a process stops within ten seconds. */
const DEFAULT_GRACE_MILLISECONDS = 3000;
const IDLE_SWEEP_MILLISECONDS = 50;
const DRAIN_CHECK_MILLISECONDS = 20;

/** @throws the system error (EADDRINUSE, EACCES) when it cannot listen there */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, host, port, acceptMilliseconds = 0, drainMilliseconds = 0 } = options;
  const { graceMilliseconds = DEFAULT_GRACE_MILLISECONDS } = options;
  const drain = announceEnds(app);
  // For "localhost" Fastify opens a second server without our handlers for requests that Node itself refuses.
  await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  const address = app.server.address() as AddressInfo;
  return {
    url: nameServer(address.address, address.port),
    async close() {
      await drain(acceptMilliseconds, drainMilliseconds);
      // A keep-alive connection becomes idle after its last answer; Node closes only those idle at the start.
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
 * Prepares the orderly end of kept connections.
 * @returns a function that lets every answer end its connection: for a time, and then until none is left or another
 * time has passed
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

/** URL at which a browser on this machine opens a listener on `host` and `port`. */
export function nameServer(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
