import { readFile } from 'node:fs/promises';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { routes } from '../../api/contract/routes.ts';
import { type Client, createClient, ProblemError } from '../../examples/client/index.js';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { openService } from '../api/service-app.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { renderClient } from './render-client.ts';

const baseUrl = 'https://api.example.org';

/** A client of the service with a small feed, and the requests that it has sent. */
async function openClient(): Promise<{ client: Client; sent: Request[] }> {
  const app = await openService(await openWorld({ at: soundFeed }));
  const sent: Request[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(request);
    const { pathname, search } = new URL(request.url);
    const options: InjectOptions = {
      method: request.method as 'GET' | 'POST',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      ...(request.method === 'POST' ? { payload: await request.clone().text() } : {}),
    };
    const { body, statusCode, headers } = await app.inject(options);
    return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
  };
  return { client: createClient({ baseUrl, installationToken: 'token-of-one-phone', fetch: send }), sent };
}

/** A client whose requests all get this response. */
const clientWith = (response: Response) => createClient({ baseUrl, fetch: async () => response });

test('the client in examples is that of the contract; `npm run client` writes it', async () => {
  for (const [name, text] of Object.entries(await renderClient())) {
    expect(await readFile(projectPath(`examples/client/${name}`), 'utf8'), name).toBe(text);
  }
});

test('the client has a method for every operation', () => {
  const client = createClient({ baseUrl });
  expect(Object.keys(client).sort()).toEqual(routes.map(({ operationId }) => operationId).sort());
});

describe('requests', () => {
  test('fill in path parameters, and send all others as a query', async () => {
    const { client, sent } = await openClient();
    const { stops } = await client.searchStops({ query: 'Anger', limit: 1 });
    expect(stops).toMatchObject([{ id: 'at:a', name: 'Anger' }]);
    const board = await client.getDepartures({
      id: 'at:a',
      time: '2026-03-03T07:30:00+01:00',
      products: ['cityBus', 'regionalBus'],
    });
    expect(board.departures).toMatchObject([{ line: { label: '1' } }]);
    expect(sent.map(({ url }) => url)).toEqual([
      `${baseUrl}/v2/stops?query=Anger&limit=1`,
      `${baseUrl}/v2/stops/at%3Aa/departures?time=2026-03-03T07%3A30%3A00%2B01%3A00&products=cityBus%2CregionalBus`,
    ]);
    expect(sent[0]!.headers.get('x-installation-token')).toBe('token-of-one-phone');
  });

  test('send a body as JSON', async () => {
    const { client } = await openClient();
    const from = { stopId: 'at:a' };
    const { trips } = await client.planTrips({ from, to: { stopId: 'at:c' }, time: '2026-03-03T07:30:00+01:00' });
    expect(trips[0]!.legs).toMatchObject([{ mode: 'transit', line: { label: '1' } }]);
  });

  test('encode a comma within an item of a list, so that the service reads the item as it was', async () => {
    const { client, sent } = await openClient();
    const query = { jids: ['a,b', '50%'] };
    expect(await client.getV1Predictions(query)).toMatchObject({ count: 0 });
    expect(sent[0]!.url).toBe(`${baseUrl}/v1/predictions?jids=a%252Cb%2C50%2525`);
  });

  test('are cancelled by their signal', async () => {
    const signal = AbortSignal.abort(new Error('left the page'));
    const client = createClient({ baseUrl, fetch: async (input, init) => Response.json(new Request(input, init).url) });
    const cancelled = createClient({
      baseUrl,
      fetch: async (_, init) => {
        init?.signal?.throwIfAborted();
        return Response.json({});
      },
    });
    await expect(cancelled.getMeta({}, { signal })).rejects.toThrow('left the page');
    await expect(client.getMeta()).resolves.toBe(`${baseUrl}/v2/meta`);
  });
});

describe('failures', () => {
  test('a problem of the service is an error with its code', async () => {
    const { client } = await openClient();
    const failure = await client.getStopInfo({ id: 'at:nowhere' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProblemError);
    expect(failure).toMatchObject({ status: 404, problem: { code: 'unknown_stop' }, retryAfterSeconds: null });
  });

  test('the response of a proxy is an error without a problem', async () => {
    const response = new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'retry-after': '30' } });
    const failure = await clientWith(response)
      .getMeta()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 502, problem: null, retryAfterSeconds: 30, message: 'HTTP status 502' });
  });

  test('the health of an unhealthy service is no error', async () => {
    const health = { status: 'unhealthy' };
    await expect(clientWith(Response.json(health, { status: 503 })).getV1Health()).resolves.toEqual(health);
  });
});
