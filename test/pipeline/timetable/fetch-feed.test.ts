import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { fetchHttp, type Http, type HttpRequest } from '../../../pipeline/effects/http.ts';
import { listRaw } from '../../../pipeline/lake/raw-store.ts';
import { listRejectedFeeds } from '../../../pipeline/lake/rejected-feeds.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type FetchSettings, fetchFeed } from '../../../pipeline/timetable/feed/fetch-feed.ts';
import { readFetchState } from '../../../pipeline/timetable/feed/fetch-state.ts';
import { readFolderState } from '../../support/checks/folder-state.ts';
import { offlineHttp, silentLog, soundFeed, temporaryFolder, testSettings } from '../../support/worlds/ingest.ts';
import { packFeed, writeFeedFolder, writeFeedZip } from '../../support/worlds/text-feed.ts';

const id = toSourceId('test');
const limits = { ...testSettings, maxDownloadBytes: 1_000_000, downloadTimeoutSeconds: 30 };
const NOW = '2026-03-01T23:30:00Z';

function fetch(
  dataDir: string,
  location: string,
  more: {
    http?: Http;
    now?: string;
    headers?: Record<string, string>;
    isForced?: boolean;
    settings?: Partial<FetchSettings>;
    warn?: (sentence: string) => void;
  } = {},
) {
  const { http = offlineHttp, now = NOW, headers, isForced = false, warn = silentLog.warn } = more;
  const effects = { clock: fixedClock(now), http, log: { ...silentLog, warn } };
  const source = { id, location, ...(headers ? { headers } : {}) };
  return fetchFeed(source, dataDir, { ...limits, ...more.settings }, effects, { isForced });
}

/** All files except the record of the server's responses. */
async function readStored(dataDir: string) {
  return new Map([...(await readFolderState(dataDir))].filter(([file]) => !file.startsWith('state/feeds')));
}

/** A server that responds in turn, and records its requests. */
function fakeServer(answers: readonly { body: Uint8Array | null; headers?: Record<string, string> }[]) {
  const requests: HttpRequest[] = [];
  const http: Http = async (request) => {
    const { body, headers = {} } = answers[requests.length]!;
    requests.push(request);
    return {
      status: body ? 200 : 304,
      headers: new Headers(headers),
      body:
        body &&
        (async function* () {
          for (let at = 0; at < body.length; at += 100) yield body.subarray(at, at + 100);
        })(),
    };
  };
  return { http, requests };
}

/** @returns the origin of a server of this process */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a local feed', () => {
  it('is stored unchanged with its facts if it is a zip', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'feeds', 'feed.zip');
    await writeFeedZip(soundFeed, zip);
    const raw = await fetch(dataDir, zip);
    expect(await readFile(raw.file)).toEqual(await readFile(zip));
    expect(path.relative(dataDir, raw.file)).toBe(`lake/raw/source=test/fetch_date=2026-03-01/${raw.version}.zip`);
    expect(raw.facts).toEqual({
      source: 'test',
      location: zip,
      fetchedAt: '2026-03-01T23:30:00.000Z',
      bytes: (await stat(zip)).size,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(raw.facts.sha256.startsWith(raw.version)).toBe(true);
    expect(JSON.parse(await readFile(`${raw.file}.json`, 'utf8'))).toEqual(raw.facts);
  });

  it('is copied even if read-only', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'feeds', 'feed.zip');
    await writeFeedZip(soundFeed, zip);
    await chmod(zip, 0o444);
    const raw = await fetch(dataDir, zip);
    expect((await stat(raw.file)).mode & 0o777).toBe(0o644);
  });

  it('is packed if it is a folder: equal files give an equal version, whatever else the folder contains', async () => {
    const dataDir = await temporaryFolder();
    const [one, two] = [path.join(dataDir, 'one'), path.join(dataDir, 'two')];
    await writeFeedFolder(soundFeed, one);
    await writeFeedFolder(new Map([...soundFeed].reverse()), two);
    await writeFile(path.join(two, 'notes.md'), 'no table');
    await mkdir(path.join(two, 'old.txt'));
    const first = await fetch(dataDir, one);
    const second = await fetch(dataDir, two, { now: '2026-03-02T12:00:00Z' });
    expect(second).toEqual(first);
  });

  it('is stored once', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'feeds', 'feed.zip');
    await writeFeedZip(soundFeed, zip);
    const first = await fetch(dataDir, zip);
    const before = await readFolderState(dataDir);
    expect(await fetch(dataDir, zip, { now: '2026-03-02T12:00:00Z' })).toEqual(first);
    expect(await readFolderState(dataDir)).toEqual(before);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });

  it.each<[title: string, make: (folder: string) => Promise<string>, code: string, message: RegExp]>([
    [
      'a missing file',
      async (folder) => path.join(folder, 'none.zip'),
      'feed_not_found',
      /^there is no feed at .*none\.zip$/,
    ],
    ['an empty folder', async (folder) => folder, 'feed_empty_folder', /holds no \.txt files$/],
    [
      'a file that cannot be read',
      async (folder) => {
        await symlink('loop.zip', path.join(folder, 'loop.zip'));
        return path.join(folder, 'loop.zip');
      },
      'feed_unreadable',
      /^the feed at .*loop\.zip cannot be copied$/,
    ],
    [
      'a folder with a file that cannot be read',
      async (folder) => {
        await symlink('stops.txt', path.join(folder, 'stops.txt'));
        return folder;
      },
      'feed_unreadable',
      /cannot be copied$/,
    ],
  ])('%s', async (_title, make, code, message) => {
    const dataDir = await temporaryFolder();
    const location = await make(await temporaryFolder());
    await expect(fetch(dataDir, location)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await listRaw(dataDir, id)).toEqual([]);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });
});

describe('a remote feed', () => {
  const url = 'https://user:secret@example.org/gtfs/feed.zip?key=secret';
  const shown = 'https://example.org/gtfs/feed.zip';

  it('is requested within the limits, without storing credentials', async () => {
    const dataDir = await temporaryFolder();
    const { http, requests } = fakeServer([{ body: await packFeed(soundFeed), headers: { etag: '"1"' } }]);
    const raw = await fetch(dataDir, url, { http, headers: { 'x-api-key': 'secret' } });
    expect(requests).toEqual([{ url, headers: { 'x-api-key': 'secret' }, timeoutSeconds: 30, maxBytes: 1_000_000 }]);
    expect(await readFile(raw.file)).toEqual(await packFeed(soundFeed));
    expect(raw.facts).toMatchObject({ location: shown, etag: '"1"' });
    for (const file of (await readFolderState(dataDir)).keys()) {
      expect(await readFile(path.join(dataDir, file), 'latin1'), file).not.toContain('secret');
    }
  });

  it('is requested with the validators of the last response', async () => {
    const dataDir = await temporaryFolder();
    const { http, requests } = fakeServer([
      { body: await packFeed(soundFeed), headers: { etag: '"1"', 'last-modified': 'Sun, 01 Mar 2026 00:00:00 GMT' } },
      { body: null },
    ]);
    const first = await fetch(dataDir, url, { http });
    const before = await readStored(dataDir);
    const second = await fetch(dataDir, url, {
      http,
      now: '2026-03-02T12:00:00Z',
      headers: { accept: 'application/zip' },
    });
    expect(requests[1]!.headers).toEqual({
      accept: 'application/zip',
      'if-none-match': '"1"',
      'if-modified-since': 'Sun, 01 Mar 2026 00:00:00 GMT',
    });
    expect(second).toEqual(first);
    expect(await readStored(dataDir)).toEqual(before);
  });

  it('is requested without conditions from a new location, or without validators', async () => {
    const dataDir = await temporaryFolder();
    const body = await packFeed(soundFeed);
    const { http, requests } = fakeServer([{ body }, { body, headers: { etag: '"1"' } }, { body }]);
    await fetch(dataDir, url, { http });
    await fetch(dataDir, url, { http });
    await fetch(dataDir, 'https://example.org/other.zip', { http });
    expect(requests.map(({ headers }) => headers)).toEqual([{}, {}, {}]);
  });

  it('fails on 304 to a request without conditions', async () => {
    const dataDir = await temporaryFolder();
    const { http } = fakeServer([{ body: null }, { body: await packFeed(soundFeed) }, { body: null }]);
    const refused = { code: 'http_status', message: `${shown} answered 304 to a request without conditions` };
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject(refused);
    await fetch(dataDir, url, { http });
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject(refused);
  });

  it('follows redirects to another server without sending the configured key', async () => {
    const feed = await packFeed(soundFeed);
    const received: IncomingHttpHeaders[] = [];
    const files = await listen((request, response) => {
      received.push(request.headers);
      response.setHeader('etag', '"1"').end(feed);
    });
    const portal = await listen((_, response) => response.writeHead(307, { location: `${files}/feed.zip` }).end());
    const dataDir = await temporaryFolder();
    const raw = await fetch(dataDir, `${portal}/feed`, { http: fetchHttp, headers: { 'x-api-key': 'secret' } });
    expect(raw.facts).toMatchObject({ location: `${portal}/feed`, etag: '"1"', bytes: feed.length });
    expect(JSON.stringify(received)).not.toContain('secret');
  });

  it('leaves no files when the transfer breaks', async () => {
    const dataDir = await temporaryFolder();
    const http: Http = async () => ({
      status: 200,
      headers: new Headers(),
      body: (async function* () {
        yield Buffer.from('PK');
        throw new ExternalError('http_too_large', 'too large');
      })(),
    });
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject({ code: 'http_too_large' });
    expect(await listRaw(dataDir, id)).toEqual([]);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });
});

describe('a server that always answers 304', () => {
  const url = 'https://example.org/feed.zip';
  const unconditional = { 'cache-control': 'no-cache' };
  const conditional = { 'if-none-match': '"1"' };

  /** Serves the feed of the day to requests without conditions, always with the same tag. */
  async function lyingServer() {
    const feeds = [await packFeed(soundFeed), await packFeed(new Map([...soundFeed, ['levels.txt', 'level_id\nA\n']]))];
    const requests: HttpRequest['headers'][] = [];
    const state = { day: 0 };
    const http: Http = async ({ headers = {} }) => {
      requests.push(headers);
      if ('if-none-match' in headers) return { status: 304, headers: new Headers(), body: null };
      const feed = feeds[state.day]!;
      return { status: 200, headers: new Headers({ etag: '"1"' }), body: Readable.from([feed]) };
    };
    return { http, requests, nextDay: () => void state.day++ };
  }

  it('is requested without conditions when forced, and a hidden change is a warning', async () => {
    const dataDir = await temporaryFolder();
    const { http, requests, nextDay } = await lyingServer();
    const warnings: string[] = [];
    const options = { http, warn: (sentence: string) => warnings.push(sentence) };
    const first = await fetch(dataDir, url, options);
    for (const now of ['2026-03-02T02:00:00Z', '2026-03-02T03:00:00Z']) {
      expect(await fetch(dataDir, url, { ...options, now })).toEqual(first);
    }
    nextDay();
    const second = await fetch(dataDir, url, { ...options, now: '2026-03-02T04:00:00Z', isForced: true });
    expect(second.version).not.toBe(first.version);
    expect(requests).toEqual([{}, conditional, conditional, unconditional]);
    expect(warnings).toEqual([
      'test: the feed has changed, although its server answered "not modified" 2 times since 2026-03-01T23:30:00.000Z',
    ]);
    expect((await readFetchState(dataDir, { id }))!.hiddenChange).toEqual({
      foundAt: '2026-03-02T04:00:00.000Z',
      since: '2026-03-01T23:30:00.000Z',
      notModified: 2,
    });
  });

  it.each<[refetchHours: number, hours: number, isConditional: boolean]>([
    [24, 1, true],
    [24, 23, true],
    // The same time of the next day, as in a schedule.
    [24, 23.99, false],
    [24, 100, false],
    [48, 24, true],
    [0, 0.01, false],
    // The clock was set back.
    [24, -48, false],
  ])(
    'with refetchHours %d it is requested after %d hours with conditions: %s',
    async (refetchHours, hours, isConditional) => {
      const dataDir = await temporaryFolder();
      const { http, requests } = await lyingServer();
      await fetch(dataDir, url, { http });
      const now = new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();
      await fetch(dataDir, url, { http, now, settings: { refetchHours } });
      expect(requests[1]).toEqual(isConditional ? conditional : hours < 0 ? {} : unconditional);
    },
  );

  it('is requested without conditions once a day, without a warning if nothing changed', async () => {
    const dataDir = await temporaryFolder();
    const { http, requests } = await lyingServer();
    const warnings: string[] = [];
    for (let hour = 0; hour <= 48; hour += 6) {
      const now = new Date(Date.parse(NOW) + hour * 3_600_000).toISOString();
      await fetch(dataDir, url, { http, now, warn: (sentence) => warnings.push(sentence) });
    }
    expect(requests.map((headers) => 'if-none-match' in headers!)).toEqual(
      [0, 6, 12, 18, 24, 30, 36, 42, 48].map((hour) => hour % 24 !== 0),
    );
    expect(warnings).toEqual([]);
  });

  it('is requested with the facts of the raw file if the data folder has no state', async () => {
    const dataDir = await temporaryFolder();
    const { http, requests } = await lyingServer();
    await fetch(dataDir, url, { http });
    await rm(path.join(dataDir, 'state'), { recursive: true });
    for (const now of ['2026-03-02T01:00:00Z', '2026-03-02T23:30:00Z']) await fetch(dataDir, url, { http, now });
    expect(requests).toEqual([{}, conditional, unconditional]);
  });

  it('confirms its last content, even if that is older than another version', async () => {
    const dataDir = await temporaryFolder();
    const [a, b] = [await packFeed(soundFeed), await packFeed(new Map([...soundFeed, ['levels.txt', 'level_id\n']]))];
    const tagged = (body: Uint8Array, etag: string) => ({ body, headers: { etag } });
    const { http, requests } = fakeServer([tagged(a, '"a"'), tagged(b, '"b"'), tagged(a, '"a2"'), { body: null }]);
    const first = await fetch(dataDir, url, { http });
    for (const hour of ['01', '02']) await fetch(dataDir, url, { http, now: `2026-03-02T${hour}:00:00Z` });
    expect(await fetch(dataDir, url, { http, now: '2026-03-02T03:00:00Z' })).toEqual(first);
    expect(requests[3]!.headers).toEqual({ 'if-none-match': '"a2"' });
  });
});

describe('a feed among several', () => {
  const both = async () => {
    const inFolder = (name: string) => [...soundFeed].map(([file, text]) => [`${name}/${file}`, text] as const);
    return packFeed(new Map([...inFolder('alt'), ...inFolder('neu umlaut ü')]));
  };

  it.each([
    ['neu umlaut ü', 'neu umlaut ü'],
    ['neu%20umlaut%20%C3%BC', 'neu umlaut ü'],
  ])('is selected by the fragment of the URL: #%s', async (fragment, selection) => {
    const dataDir = await temporaryFolder();
    const { http, requests } = fakeServer([{ body: await both() }]);
    const raw = await fetch(dataDir, `https://example.org/feed.zip?key=secret#${fragment}`, { http });
    expect(requests[0]!.url).toBe('https://example.org/feed.zip?key=secret');
    expect(raw.facts).toMatchObject({ location: `https://example.org/feed.zip#${selection}`, selection });
  });

  it('is a separate version, which a 304 for another folder does not confirm', async () => {
    const dataDir = await temporaryFolder();
    const body = await both();
    const { http, requests } = fakeServer([1, 2].map(() => ({ body, headers: { etag: '"1"' } })));
    const alt = await fetch(dataDir, 'https://example.org/feed.zip#alt', { http });
    const neu = await fetch(dataDir, 'https://example.org/feed.zip#neu umlaut ü', { http });
    expect(neu.version).not.toBe(alt.version);
    expect(requests[1]!.headers).toEqual({});
  });

  it('is selected by the part after the longest existing path', async () => {
    const dataDir = await temporaryFolder();
    const folder = path.join(dataDir, 'feeds', 'a#b');
    await mkdir(folder, { recursive: true });
    for (const name of ['c.zip', 'c.zip#alt']) await writeFile(path.join(folder, name), await both());
    expect((await fetch(dataDir, path.join(folder, 'c.zip#alt#alt'))).facts.selection).toBe('alt');
    expect((await fetch(dataDir, path.join(folder, 'c.zip#neu umlaut ü'))).facts.selection).toBe('neu umlaut ü');
    await expect(fetch(dataDir, path.join(folder, 'd.zip#alt'))).rejects.toMatchObject({ code: 'feed_not_found' });
    await expect(fetch(dataDir, path.join(folder, 'c.zip'))).rejects.toMatchObject({ code: 'feed_several' });
  });
});

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
