import { connect, createServer, type Socket } from 'node:net';

/** A proxy that can become unresponsive. */
interface SilentProxy {
  /** URL of the server through the proxy. */
  readonly url: string;
  /**
   * From now on connections, including new ones, stay open and transfer nothing, as after a power cut of the server.
   */
  silence(): void;
  /** New connections reach the server; earlier ones stay silent. */
  restore(): void;
  close(): void;
}

export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client).pause();
    if (isSilent) return;
    const behind = keep(connect(Number(port), hostname));
    client.pipe(behind);
    behind.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.port = String((server.address() as { readonly port: number }).port);
  return {
    url: own.href,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore() {
      isSilent = false;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
