import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { openConnections } from '../../../api/push/post-message.ts';
import { isLoopbackAddress } from '../../../pipeline/effects/public-addresses.ts';
import { resolvingTo } from './push-cases.ts';

/** A server that records the name requested by TLS, and has no certificate. */
async function openTlsServer() {
  const names: string[] = [];
  const server = createServer({
    SNICallback(name, callback) {
      names.push(name);
      callback(null);
    },
  });
  // Every client disconnects.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { names, port: (server.address() as AddressInfo).port };
}

const messageTo = (url: string) => ({
  endpoint: new URL(url),
  headers: {},
  body: Buffer.from('x'),
  mayBeSent: () => true,
});

test('connects with TLS to the checked address, for the name of the push service', async () => {
  const { names, port } = await openTlsServer();
  const connections = openConnections(resolvingTo('127.0.0.1'), 60_000, isLoopbackAddress);
  onTestFinished(() => connections.close());
  const sent = connections.post(messageTo(`https://push.example.org:${port}/1`));
  await expect(sent).rejects.toThrow();
  expect(names).toEqual(['push.example.org']);
});

test('checks an address given in place of a name, although nothing resolves it', async () => {
  const connections = openConnections(resolvingTo('1.1.1.1'), 60_000);
  onTestFinished(() => connections.close());
  for (const host of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]', '[fd00::1]']) {
    const sent = connections.post(messageTo(`https://${host}/1`));
    await expect(sent, host).rejects.toMatchObject({ code: 'push_address_refused' });
  }
});

test('fails requests in progress when the connections are closed', async () => {
  const { port } = await openTlsServer();
  let answer = () => {};
  const resolving = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const resolve = async () => {
    await resolving;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const connections = openConnections(resolve, 60_000, isLoopbackAddress);
  const sent = connections.post(messageTo(`https://push.example.org:${port}/1`));
  const failed = expect(sent).rejects.toThrow();
  connections.close();
  answer();
  await failed;
});
