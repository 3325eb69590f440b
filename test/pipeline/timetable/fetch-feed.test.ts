import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { fetchHttp, type Http, type HttpRequest } from '../../../pipeline/effects/http.ts';
import { listRaw } from '../../../pipeline/lake/raw-store.ts';
import { readFetchState } from '../../../pipeline/timetable/feed/fetch-state.ts';
import { readFolderState } from '../../support/checks/folder-state.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { packFeed, writeFeedFolder, writeFeedZip } from '../../support/worlds/text-feed.ts';
import { fakeServer, fetch, id, listen, NOW, readStored } from './fetched-feed.ts';

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
