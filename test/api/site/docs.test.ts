import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../api/contract/routes.ts';
import { guideIds } from '../../../api/site/texts/guides.ts';
import { findTryPath } from '../../../api/site/view-model/try-path.ts';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openWorld, type World } from '../../support/worlds/board-world.ts';
import { soundFeed } from '../../support/worlds/ingest.ts';
import { openService, serviceOptions } from '../service-app.ts';

const clock = fixedClock('2026-03-03T06:30:07Z');
let world: World;
beforeAll(async () => {
  world = await openWorld({ at: soundFeed });
});

const openDocs = () =>
  openService(world, {
    clock,
    overrides: {
      fairUse: { unitsPerMinute: 1000, burst: 1000 },
      site: {
        examples: [],
        listBusiestStops: () => [
          { id: 'at:a', name: 'Anger' },
          { id: 'at:c', name: 'Dorf' },
        ],
      },
    },
  });

describe('trying a route with a body', () => {
  const trip = { from: { stopId: 'at:a' }, to: { stopId: 'at:c' }, time: '2026-03-03T07:30:00+01:00' };
  const send = (app: FastifyInstance, url: string, headers = {}) =>
    app.inject({ method: 'POST', url, payload: trip, headers: { host: 'takt.example', ...headers } });

  test('returns what /v2 returns, also to a page of this service', async () => {
    const app = await openDocs();
    const expected = (await send(app, '/v2/trips')).json();
    expect(expected.trips.length).toBeGreaterThan(0);
    for (const headers of [
      {},
      { origin: 'https://takt.example' },
      { origin: 'https://takt.example', 'sec-fetch-site': 'same-origin' },
    ]) {
      expect((await send(app, '/site/data/try/trips', headers)).json()).toEqual(expected);
    }
  });

  test.each([
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { origin: 'https://takt.example:8443' },
    { origin: 'https://takt.example', 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ])('is refused to other sites (%o)', async (headers) => {
    const answer = await send(await openDocs(), '/site/data/try/trips', headers);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'origin_not_allowed']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('is possible for each of them', () => {
    const { siteRoutes = [] } = serviceOptions(world, { clock });
    const mirrored = siteRoutes.map(({ contract: { method, path } }) => `${method} ${path}`);
    const posts = routes.filter(({ method, path }) => method === 'POST' && path.startsWith('/v2/'));
    expect(posts.length).toBeGreaterThan(5);
    for (const { path } of posts) expect(mirrored).toContain(`POST ${findTryPath('POST', `http://x${path}`)}`);
  });

  test.each([
    ['GET', 'https://takt.example/v2/stops?query=a', '/v2/stops?query=a'],
    ['get', 'http://localhost:8080/openapi.json', '/openapi.json'],
    ['POST', 'https://takt.example/v2/trips', '/site/data/try/trips'],
    ['post', 'https://takt.example/v2/rescue/watch?x=1', '/site/data/try/rescue/watch?x=1'],
    ['POST', 'https://takt.example/v1/predictions/batch', '/v1/predictions/batch'],
  ])('%s %s is sent to %s', (method, address, path) => {
    expect(findTryPath(method, address)).toBe(path);
  });
});

describe('the guides', () => {
  /** The text of the example of each guide. */
  async function readExamples(app: FastifyInstance): Promise<ReadonlyMap<string, string>> {
    const { body } = await app.inject({
      url: '/docs/guides',
      headers: { host: 'takt.example', 'accept-language': 'en' },
    });
    const found = [...body.matchAll(/<h2 id="([\w-]+)">.*?<code>([^<]*)<\/code><\/pre>/gs)];
    return new Map(found.map(([, id, code]) => [id!, unescapeMarkup(code!)]));
  }

  const unescapeMarkup = (text: string) =>
    text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

  /** Sends the requests of an example in turn. @param values replace the words in capitals */
  async function run(app: FastifyInstance, example: string, values: Readonly<Record<string, string>> = {}) {
    const filled = example.replace(/\b[A-Z]+(?:_[A-Z]+)+\b|\bETAG\b/g, (word) => values[word] ?? word);
    const answers = [];
    for (const command of filled.replaceAll('\\\n', '').split('\n')) answers.push(await sendCommand(app, command));
    return answers;
  }

  function sendCommand(app: FastifyInstance, command: string) {
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
    const valuesOf = (flag: string) => words.flatMap((word, i) => (word === flag ? [words[i + 1]!] : []));
    const { pathname, search } = new URL(words.find((word) => word.startsWith('http'))!);
    const [payload] = valuesOf('-d');
    return app.inject({
      method: payload === undefined ? (words.includes('-I') ? 'HEAD' : 'GET') : 'POST',
      url: pathname + search,
      headers: Object.fromEntries(valuesOf('-H').map((header) => header.split(': ') as [string, string])),
      ...(payload === undefined ? {} : { payload }),
    });
  }

  test('have examples that work one after the other', async () => {
    const app = await openDocs();
    const examples = await readExamples(app);
    expect([...examples.keys()]).toEqual(guideIds);

    const [search, board] = await run(app, examples.get('first-board')!);
    expect(search!.json().stops[0].id).toBe('at:a');
    expect(board!.json().departures.length).toBeGreaterThan(0);

    const [planned] = await run(app, examples.get('first-trip')!);
    const { trips, laterRef } = planned!.json();
    const leg = trips[0].legs.find(({ mode }: { mode: string }) => mode === 'transit');
    const [watch] = await run(app, examples.get('watching')!, {
      JOURNEY_REF: leg.journeyRef,
      LEG_ORIGIN_ID: leg.origin.id,
      LEG_DESTINATION_ID: leg.destination.id,
    });
    expect(watch!.json()).toMatchObject({ watchId: expect.any(String), events: expect.any(Array) });

    const first = await app.inject({ url: '/v2/stops/at%3Aa/departures?limit=1' });
    const [nextBoard, later] = await run(app, examples.get('paging')!, {
      PAGE_TOKEN: first.json().nextPageToken,
      LATER_REF: laterRef,
    });
    expect(nextBoard!.json().departures.length).toBeGreaterThan(0);
    expect(later!.statusCode).toBe(200);

    const [unchanged] = await run(app, examples.get('caching')!, {
      ETAG: String((await app.inject({ url: '/v2/stops/at%3Aa/departures' })).headers.etag),
    });
    expect([unchanged!.statusCode, unchanged!.body]).toEqual([304, '']);
    const [problem] = await run(app, examples.get('errors')!);
    expect(problem!.json()).toMatchObject({ status: 404, code: 'unknown_stop' });
    const [counted] = await run(app, examples.get('fair-use')!);
    expect(counted!.headers.ratelimit).toMatch(/^"address";r=\d+;t=\d+$/);
    const address = /fetch\('http:\/\/takt\.example([^']+)'\)/.exec(examples.get('browser')!)![1]!;
    const open = await app.inject({ url: address, headers: { origin: 'https://elsewhere.example' } });
    expect(open.headers['access-control-allow-origin']).toBe('*');
    expect(open.json()).toHaveProperty('overall');
  });

  test('are linked from the reference and every footer, and lead to both', async () => {
    const app = await openDocs();
    for (const url of ['/docs', '/', '/docs/guides']) {
      const { body } = await app.inject({ url, headers: { 'accept-language': 'de' } });
      expect(body).toContain('href="/docs/guides"');
      expect(body).toContain('href="/docs"');
      // The way back to the site.
      expect(body).toContain('<a class="name" href="/">');
    }
  });

  test('have examples for a service without a timetable', async () => {
    const app = await openService(world, { clock });
    const { statusCode, body } = await app.inject({ url: '/docs/guides' });
    expect([statusCode, body.includes('/v2/stops/STOP_ID/departures')]).toEqual([200, true]);
  });
});
