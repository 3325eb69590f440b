import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RunningServer {
  /** Address for a browser on this machine. */
  readonly url: string;
  /** Accepts no more connections, gives running requests `graceMilliseconds`, then closes the connections. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly app: FastifyInstance;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly graceMilliseconds?: number;
}

const DEFAULT_GRACE_MILLISECONDS = 5000;
const IDLE_SWEEP_MILLISECONDS = 50;

/** @throws the system error (EADDRINUSE, EACCES) when it cannot listen there */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, host, port, graceMilliseconds = DEFAULT_GRACE_MILLISECONDS } = options;
  // For "localhost" Fastify opens a second server without our handlers for requests that Node itself refuses.
  await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  const address = app.server.address() as AddressInfo;
  return {
    url: nameServer(address.address, address.port),
    async close() {
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

/** URL at which a browser on this machine opens a listener on `host` and `port`. */
export function nameServer(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
