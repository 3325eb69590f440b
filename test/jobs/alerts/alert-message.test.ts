import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listDeliveries } from '../../../jobs/alerts/alert-message.ts';
import type { Config } from '../../../pipeline/config/load-config.ts';

/** A webhook that answers with these statuses, then with 204. */
async function serveStatuses(statuses: readonly number[]) {
  let requests = 0;
  const server = createServer((_request, response) => void response.writeHead(statuses[requests++] ?? 204).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => requests };
}

it.each<[what: string, statuses: number[], isDelivered: boolean, requests: number]>([
  ['delivers at the first attempt', [], true, 1],
  ['delivers at the third attempt', [503, 429], true, 3],
  ['gives up after three attempts', [503, 503, 503], false, 3],
  ['does not repeat a request that the webhook rejects', [404], false, 1],
])('a webhook %s', async (_what, statuses, isDelivered, requests) => {
  const { url, count } = await serveStatuses(statuses);
  const waits: number[] = [];
  const alerts = { command: null, webhook: url, timeoutSeconds: 5 } as Config['alerts'];
  const [deliver, ...others] = listDeliveries({ alerts } as Config, {
    sleep: async (milliseconds) => void waits.push(milliseconds),
  });
  const delivered = deliver!('{}').then(
    () => true,
    () => false,
  );
  expect([await delivered, count(), others.length]).toEqual([isDelivered, requests, 0]);
  expect(waits).toHaveLength(requests - 1);
  for (const [at, limit] of [1000, 4000].slice(0, waits.length).entries()) {
    expect(waits[at]).toBeGreaterThanOrEqual(limit / 2);
    expect(waits[at]).toBeLessThanOrEqual(limit);
  }
});
