import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Http } from '../../../pipeline/effects/http.ts';
import { listRaw } from '../../../pipeline/lake/raw-store.ts';
import { listRejectedFeeds } from '../../../pipeline/lake/rejected-feeds.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { packFeed } from '../../support/worlds/text-feed.ts';
import { fakeServer, fetch, id } from './fetched-feed.ts';

describe('a rejected body', () => {
  const url = 'https://example.org/feed.zip?key=secret';
  const now = (day: number) => `2026-03-${String(day).padStart(2, '0')}T12:00:00Z`;
  const serve =
    (...chunks: readonly Uint8Array[]): Http =>
    async () => ({ status: 200, headers: new Headers(), body: Readable.from(chunks) });
  const bomb = () =>
    packFeed(new Map<string, string | Uint8Array>([...soundFeed, ['shapes.txt', Buffer.alloc(3_000_000)]]));

  it.each<[title: string, body: () => Promise<Uint8Array>, code: string]>([
    ['a page', async () => Buffer.from('<html>Login</html>'), 'feed_not_a_zip'],
    ['nothing', async () => Buffer.alloc(0), 'feed_not_a_zip'],
    ['half of an archive', async () => (await packFeed(soundFeed)).subarray(0, 300), 'feed_not_a_zip'],
    ['more than the limits allow', bomb, 'feed_too_large'],
    [
      'two feeds',
      async () =>
        packFeed(
          new Map(
            [...soundFeed].flatMap(([n, t]) => [
              [`a/${n}`, t],
              [`b/${n}`, t],
            ]),
          ),
        ),
      'feed_several',
    ],
  ])('%s is set aside and listed instead of stored as a feed', async (_title, body, code) => {
    const dataDir = await temporaryFolder();
    const bytes = await body();
    for (const day of [1, 2]) {
      await expect(fetch(dataDir, url, { http: serve(bytes), now: now(day) })).rejects.toMatchObject({ code });
    }
    expect(await listRaw(dataDir, id)).toEqual([]);
    const [rejected, ...others] = await listRejectedFeeds(dataDir);
    expect(others).toEqual([]);
    expect(rejected).toMatchObject({
      source: 'test',
      location: 'https://example.org/feed.zip',
      code,
      bytes: bytes.length,
      isWhole: true,
      firstFetchedAt: '2026-03-01T12:00:00.000Z',
      fetchedAt: '2026-03-02T12:00:00.000Z',
    });
    expect(await readFile(path.join(dataDir, rejected!.file!))).toEqual(bytes);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });

  it('is not read to its end if it is not an archive', async () => {
    const dataDir = await temporaryFolder();
    let sent = 0;
    const http: Http = async () => ({
      status: 200,
      headers: new Headers(),
      body: (async function* () {
        for (; ; sent++) yield Buffer.alloc(1 << 15);
      })(),
    });
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject({ code: 'feed_not_a_zip' });
    expect(sent).toBeLessThan(10);
    expect(await listRejectedFeeds(dataDir)).toMatchObject([{ isWhole: false, bytes: 1 << 16 }]);
  });

  it('is dropped for newer ones beyond the size limit, and stays listed', async () => {
    const dataDir = await temporaryFolder();
    const settings = { maxRejectedBytes: 2500 };
    for (const day of [1, 2, 3]) {
      const http = serve(Buffer.alloc(1000, day));
      await expect(fetch(dataDir, url, { http, settings, now: now(day) })).rejects.toThrow();
    }
    const http = serve(Buffer.alloc(3000, 9));
    await expect(fetch(dataDir, url, { http, settings, now: now(4) })).rejects.toThrow();
    const listed = await listRejectedFeeds(dataDir);
    expect(listed.map(({ fetchedAt, file }) => [fetchedAt.slice(0, 10), file !== null])).toEqual([
      ['2026-03-04', false],
      ['2026-03-03', true],
      ['2026-03-02', true],
      ['2026-03-01', false],
    ]);
  });

  it('leaves the last good feed, whose entity tag is sent again', async () => {
    const dataDir = await temporaryFolder();
    const good = { body: await packFeed(soundFeed), headers: { etag: '"good"' } };
    const { http, requests } = fakeServer([
      good,
      { body: Buffer.from('<html>'), headers: { etag: '"bad"' } },
      { body: null },
    ]);
    const first = await fetch(dataDir, url, { http });
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject({ code: 'feed_not_a_zip' });
    expect(await fetch(dataDir, url, { http })).toEqual(first);
    expect(requests[2]!.headers).toEqual({ 'if-none-match': '"good"' });
  });

  it('is listed among the last ten', async () => {
    const dataDir = await temporaryFolder();
    for (let day = 1; day <= 14; day++) {
      await expect(fetch(dataDir, url, { http: serve(Buffer.from(`page ${day}`)), now: now(day) })).rejects.toThrow();
    }
    const listed = await listRejectedFeeds(dataDir);
    expect(listed.map(({ fetchedAt }) => Number(fetchedAt.slice(8, 10)))).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expect(await readdir(path.join(dataDir, 'rejected', 'source=test'))).toHaveLength(20);
  });
});
