import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { fetchHttp, type Http, type HttpRequest } from '../../../pipeline/effects/http.ts';
import { WorldError } from '../../../pipeline/effects/world-error.ts';
import { listRaw } from '../../../pipeline/lake/raw-store.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { fetchFeed } from '../../../pipeline/timetable/feed/fetch-feed.ts';
import { readFolderState } from '../../support/folder-state.ts';
import { offlineHttp, soundFeed, temporaryFolder } from '../../support/ingest.ts';
import { packFeed, writeFeedFolder, writeFeedZip } from '../../support/text-feed.ts';

const id = toSourceId('test');
const limits = { maxDownloadBytes: 1_000_000, downloadTimeoutSeconds: 30 };
const NOW = '2026-03-01T23:30:00Z';

function fetch(
  dataDir: string,
  location: string,
  more: { http?: Http; now?: string; headers?: Record<string, string> } = {},
) {
  const source = { id, location, ...(more.headers ? { headers: more.headers } : {}) };
  return fetchFeed(source, dataDir, limits, { clock: fixedClock(more.now ?? NOW), http: more.http ?? offlineHttp });
}

/** A server that answers in turn, and remembers what it was asked. */
function fakeServer(answers: readonly { body: Uint8Array | null; headers?: Record<string, string> }[]) {
  const asked: HttpRequest[] = [];
  const http: Http = async (request) => {
    const { body, headers = {} } = answers[asked.length]!;
    asked.push(request);
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
  return { http, asked };
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

describe('from the disk', () => {
  it('takes a zip as it is, with its facts beside it', async () => {
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

  it('keeps a copy of its own of a zip that is read-only', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'feeds', 'feed.zip');
    await writeFeedZip(soundFeed, zip);
    await chmod(zip, 0o444);
    const raw = await fetch(dataDir, zip);
    expect((await stat(raw.file)).mode & 0o777).toBe(0o644);
  });

  it('packs a folder: equal files are an equal version, whatever lies beside them', async () => {
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

  it('stores nothing twice', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'feeds', 'feed.zip');
    await writeFeedZip(soundFeed, zip);
    const first = await fetch(dataDir, zip);
    const before = await readFolderState(dataDir);
    expect(await fetch(dataDir, zip, { now: '2026-03-02T12:00:00Z' })).toEqual(first);
    expect(await readFolderState(dataDir)).toEqual(before);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });

  it.each<[why: string, make: (folder: string) => Promise<string>, code: string, message: RegExp]>([
    [
      'nothing there',
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
  ])('%s', async (_why, make, code, message) => {
    const dataDir = await temporaryFolder();
    const location = await make(await temporaryFolder());
    await expect(fetch(dataDir, location)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await listRaw(dataDir, id)).toEqual([]);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });
});

describe('from a server', () => {
  const url = 'https://user:secret@example.org/gtfs/feed.zip?key=secret';
  const shown = 'https://example.org/gtfs/feed.zip';

  it('asks within its limits, and keeps no credentials', async () => {
    const dataDir = await temporaryFolder();
    const { http, asked } = fakeServer([{ body: await packFeed(soundFeed), headers: { etag: '"1"' } }]);
    const raw = await fetch(dataDir, url, { http, headers: { 'x-api-key': 'secret' } });
    expect(asked).toEqual([{ url, headers: { 'x-api-key': 'secret' }, timeoutSeconds: 30, maxBytes: 1_000_000 }]);
    expect(await readFile(raw.file)).toEqual(await packFeed(soundFeed));
    expect(raw.facts).toMatchObject({ location: shown, etag: '"1"' });
    for (const file of (await readFolderState(dataDir)).keys()) {
      expect(await readFile(path.join(dataDir, file), 'latin1'), file).not.toContain('secret');
    }
  });

  it('asks again only for what is new', async () => {
    const dataDir = await temporaryFolder();
    const { http, asked } = fakeServer([
      { body: await packFeed(soundFeed), headers: { etag: '"1"', 'last-modified': 'Sun, 01 Mar 2026 00:00:00 GMT' } },
      { body: null },
    ]);
    const first = await fetch(dataDir, url, { http });
    const before = await readFolderState(dataDir);
    const second = await fetch(dataDir, url, {
      http,
      now: '2026-03-02T12:00:00Z',
      headers: { accept: 'application/zip' },
    });
    expect(asked[1]!.headers).toEqual({
      accept: 'application/zip',
      'if-none-match': '"1"',
      'if-modified-since': 'Sun, 01 Mar 2026 00:00:00 GMT',
    });
    expect(second).toEqual(first);
    expect(await readFolderState(dataDir)).toEqual(before);
  });

  it('asks without conditions for another place, or where the server gave none', async () => {
    const dataDir = await temporaryFolder();
    const body = await packFeed(soundFeed);
    const { http, asked } = fakeServer([{ body }, { body, headers: { etag: '"1"' } }, { body }]);
    await fetch(dataDir, url, { http });
    await fetch(dataDir, url, { http });
    await fetch(dataDir, 'https://example.org/other.zip', { http });
    expect(asked.map(({ headers }) => headers)).toEqual([{}, {}, {}]);
  });

  it('does not believe that nothing is unchanged', async () => {
    const { http } = fakeServer([{ body: null }]);
    await expect(fetch(await temporaryFolder(), url, { http })).rejects.toMatchObject({
      code: 'http_status',
      message: `${shown} answered 304 to a first request`,
    });
  });

  it('follows the publisher to another server, and leaves the configured key behind', async () => {
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

  it('leaves nothing behind when the transfer breaks', async () => {
    const dataDir = await temporaryFolder();
    const http: Http = async () => ({
      status: 200,
      headers: new Headers(),
      body: (async function* () {
        yield Buffer.from('PK');
        throw new WorldError('http_too_large', 'too large');
      })(),
    });
    await expect(fetch(dataDir, url, { http })).rejects.toMatchObject({ code: 'http_too_large' });
    expect(await listRaw(dataDir, id)).toEqual([]);
    expect(await readdir(path.join(dataDir, 'tmp'))).toEqual([]);
  });
});
