import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findMapFile, holdNetworkMaps } from '../../api/network-maps.ts';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { publishMaps } from '../../pipeline/network-maps/publish-maps.ts';
import { mapAddress, mapFile, mapsFolder } from '../../pipeline/snapshots/network-map-files.ts';
import { hashOf, publishedMap } from '../pipeline/network-maps/published-map.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { openWorld, type World } from '../support/worlds/board-world.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { town } from './engine/live-town.ts';
import { openService } from './service-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n';
const createdAt = '2026-03-03T07:00:00.000Z';

async function open() {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-maps-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const maps = await holdNetworkMaps(dataDir, silentLog);
  onTestFinished(() => maps.close());
  const publish = async (
    id: string,
    ...files: { readonly map: ReturnType<typeof publishedMap>; readonly content: Buffer }[]
  ) => {
    await publishMaps(dataDir, { id, createdAt, files, refused: [] });
    await maps.check();
  };
  const app = () =>
    openService(world, {
      clock: fixedClock('2026-03-03T07:00:00Z'),
      networkMaps: maps,
      overrides: { site: { examples: [], findNetworkMap: findMapFile(maps) } },
    });
  return { dataDir, maps, publish, app };
}

const file = (id: string, content: string, more = {}) => ({
  map: publishedMap(id, content, more),
  content: Buffer.from(content),
});

describe('/v1/network-maps', () => {
  test('is an empty list until maps are published, then lists them by region and title', async () => {
    const { app, publish } = await open();
    const get = async () => {
      const answer = await (await app()).inject({ url: '/v1/network-maps' });
      expect(answer.statusCode).toBe(200);
      await expectValidAnswer('V1NetworkMaps', answer.json());
      return answer.json() as { maps: { id: string }[] };
    };
    expect((await get()).maps).toEqual([]);
    await publish('one', file('wien-tram', SVG, { region: 'Wien' }), file('graz-tram', SVG, { region: 'Graz' }));
    const { maps } = await get();
    expect(maps.map(({ id }) => id)).toEqual(['graz-tram', 'wien-tram']);
    expect(maps[0]).toEqual({
      id: 'graz-tram',
      title: 'graz-tram',
      region: 'Graz',
      format: 'svg',
      url: `/network-maps/files/graz-tram-${hashOf(SVG).slice(0, 16)}.svg`,
      bytes: SVG.length,
      sha256: hashOf(SVG),
      validFrom: '2026-12-13',
      attribution: null,
    });
  });

  test('serves immutable files to any origin, and blocks scripts in SVG files', async () => {
    const { app, publish } = await open();
    await publish('one', file('a', SVG));
    const service = await app();
    const { maps } = (await service.inject({ url: '/v1/network-maps' })).json() as {
      maps: { url: string; sha256: string }[];
    };
    const answer = await service.inject({ url: maps[0]!.url, headers: { origin: 'https://example.org' } });
    expect(answer.statusCode).toBe(200);
    expect(hashOf(answer.rawPayload)).toBe(maps[0]!.sha256);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      etag: `"${hashOf(SVG)}"`,
    });
    const again = await service.inject({ url: maps[0]!.url, headers: { 'if-none-match': `"${hashOf(SVG)}"` } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test.each([
    '/network-maps/files/other.svg',
    '/network-maps/files/..%2Fcurrent.json',
    '/network-maps/files/manifest.json',
  ])('has no file %s', async (url) => {
    const { app, publish } = await open();
    await publish('one', file('a', SVG));
    const { statusCode, headers } = await (await app()).inject({ url });
    // Another replica may already have the file, so this response must not be cached.
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
  });

  test('serves files of the current and previous set from memory, but no older ones', async () => {
    const { app, dataDir, publish } = await open();
    const service = await app();
    const get = async (name: string) => {
      const { statusCode } = await service.inject({ url: mapAddress(file(name, SVG).map.file) });
      return statusCode;
    };
    for (const name of ['a', 'b', 'c']) await publish(name, file(name, SVG));
    await rm(mapsFolder(dataDir), { recursive: true });
    expect([await get('a'), await get('b'), await get('c')]).toEqual([404, 200, 200]);
  });

  test.each([
    ['missing', (name: string) => rm(name)],
    ['not whole', (name: string) => truncate(name, 3)],
  ])('serves the previous set while a file of the new one is %s', async (_, damage) => {
    const { app, dataDir, maps, publish } = await open();
    await publish('one', file('a', SVG));
    const b = file('b', SVG);
    await publishMaps(dataDir, { id: 'two', createdAt, files: [b], refused: [] });
    await damage(mapFile(dataDir, 'two', b.map.file));
    await maps.check();
    const list = (await (await app()).inject({ url: '/v1/network-maps' })).json() as { maps: { id: string }[] };
    expect(list.maps.map(({ id }) => id)).toEqual(['a']);
  });

  test('follows a new publication', async () => {
    const { app, publish } = await open();
    await publish('one', file('a', SVG));
    await publish('two', file('b', SVG));
    const { maps } = (await (await app()).inject({ url: '/v1/network-maps' })).json() as { maps: { id: string }[] };
    expect(maps.map(({ id }) => id)).toEqual(['b']);
  });
});
