import { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../log.ts';

const CONNECT_MILLISECONDS = 3000;

/**
 * After a power cut of a machine, or if a network drops the connection, its end is not signalled: the client times out
 * and closes the connection. Longer than the server needs to end a statement of a transaction; together with the time
 * for connecting, it is the 15 s that a request waits at most.
 */
const ANSWER_MILLISECONDS = 12_000;

/** Time limit of statements under way when the pool is closed. */
const CLOSE_MILLISECONDS = 2000;

/** `int8`, which the client passes as text; all numbers of a store are below 2^53. */
const INT8 = 20;

/** Connections to a PostgreSQL database. */
export interface PostgresPool extends Pick<pg.Pool, 'query' | 'connect'> {
  /** Statements under way have some seconds, then their connections are closed. */
  close(): Promise<void>;
}

/**
 * Makes connections when they are needed, also after the server was away. Every wait has a limit: for a connection, and
 * for the result of a statement. No limit of the server is asked for as a connection begins, which PgBouncer refuses.
 * @param url may hold a password, so it is in no message
 * @param holds completes "the database of …" in the log
 */
export function openPool(url: string, max: number, holds: string, log: Log): PostgresPool {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    query_timeout: ANSWER_MILLISECONDS,
    keepAlive: true,
    stream: () => openSocket(sockets),
    application_name: 'taktgeber',
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // An idle connection that the server ends is replaced by the next query; unheard, the event would end the process.
  pool.on('error', (error) => log.warn(`lost a connection to the database of ${holds}: ${error.message}`));
  return {
    query: pool.query.bind(pool),
    connect: pool.connect.bind(pool),
    close: async () => {
      // Also idle connections: closing one waits for the other side, which may be gone.
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_MILLISECONDS).unref();
      await pool.end();
    },
  };
}

/** Opens the socket here, as the client has no method that closes a connection at once. */
function openSocket(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  return socket.once('close', () => sockets.delete(socket));
}
