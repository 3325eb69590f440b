import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { unpackFeed } from '../../../pipeline/timetable/feed/unpack-feed.ts';
import type { UnpackLimits } from '../../../pipeline/timetable/feed/zip-archive.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { type FeedFiles, packFeed } from '../../support/worlds/text-feed.ts';

const limits: UnpackLimits = {
  maxZipEntries: 20,
  maxEntryBytes: 4_000_000,
  maxTotalBytes: 6_000_000,
  maxCompressionRatio: 100,
};

async function unpackBytes(bytes: Uint8Array, changed: Partial<UnpackLimits> = {}, selection: string | null = null) {
  const folder = await temporaryFolder();
  const zip = path.join(folder, 'feed.zip');
  await writeFile(zip, bytes);
  const unpacked = path.join(folder, 'unpacked');
  await mkdir(unpacked);
  const feed = await unpackFeed(zip, unpacked, { ...limits, ...changed }, selection);
  const texts = await Promise.all(feed.tables.map(async ({ table, file }) => [table, await readFile(file, 'utf8')]));
  return { feed, texts: Object.fromEntries(texts) as Record<string, string> };
}

const unpack = async (files: FeedFiles, changed: Partial<UnpackLimits> = {}) =>
  unpackBytes(await packFeed(files), changed);

describe('finds the tables', () => {
  it.each<[title: string, entries: Record<string, string>, texts: Record<string, string>, otherFiles: string[]]>([
    ['at the top', { 'stops.txt': 'a\n' }, { stops: 'a\n' }, []],
    ['in a folder', { 'feed/stops.txt': 'a\n', 'feed/': '' }, { stops: 'a\n' }, []],
    ['in any case', { 'STOPS.TXT': 'a\n' }, { stops: 'a\n' }, []],
    ['in folders below folders', { 'a/b/stops.txt': 'a\n' }, { stops: 'a\n' }, []],
    ['the first of a folder', { 'stops.txt': 'a\n', 'STOPS.TXT': 'b\n' }, { stops: 'a\n' }, ['STOPS.TXT']],
    [
      'not their resource forks beside them',
      { 'stops.txt': 'a\n', '._trips.txt': 'x' },
      { stops: 'a\n' },
      ['._trips.txt'],
    ],
    [
      'beside others',
      { 'stops.txt': 'a\n', 'readme.md': 'b', 'my.txt': 'c' },
      { stops: 'a\n' },
      ['readme.md', 'my.txt'],
    ],
    ['not resource forks', { '__MACOSX/stops.txt': 'x' }, {}, ['__MACOSX/stops.txt']],
    ['not inherited property names', { 'constructor.txt': 'x' }, {}, ['constructor.txt']],
  ])('%s', async (_title, entries, texts, otherFiles) => {
    const found = await unpack(new Map(Object.entries(entries).filter(([name]) => !name.endsWith('/'))));
    expect(found.texts).toEqual(texts);
    expect(found.feed.otherFiles).toEqual(otherFiles);
  });
});

it('passes on the other tables before it unpacks stop_times, and returns all in the order of the archive', async () => {
  const folder = await temporaryFolder();
  const zip = path.join(folder, 'feed.zip');
  await writeFile(zip, await packFeed(soundFeed));
  const passed: string[] = [];
  let isUnpacked = false;
  const { tables } = await unpackFeed(zip, folder, limits, null, (others) => {
    passed.push(...others.map(({ table }) => table));
    isUnpacked = existsSync(path.join(folder, 'stop_times.txt'));
  });
  const names = [...soundFeed.keys()].map((name) => name.replace('.txt', ''));
  expect(tables.map(({ table }) => table)).toEqual(names);
  expect(passed).toEqual(names.filter((name) => name !== 'stop_times'));
  expect(isUnpacked).toBe(false);
});

/** Files of an archive, from words such as `alt/*` (a whole feed) and `x.txt`; a nested record is an inner archive. */
type Contents = { readonly [name: string]: true | Contents };

async function pack(contents: Contents): Promise<Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  for (const [name, inner] of Object.entries(contents)) {
    if (inner !== true) files.set(name, await pack(inner));
    else if (!name.endsWith('*')) files.set(name, 'a\n');
    else
      for (const table of ['stops', 'routes', 'trips', 'stop_times'])
        files.set(name.replace('*', `${table}.txt`), name);
  }
  return packFeed(files);
}

describe('reads one feed of an archive, and reports which', () => {
  it.each<[contents: Contents, selection: string | null, folder: string | null]>([
    [{ '*': true }, null, null],
    [{ 'neu/*': true }, null, 'neu'],
    [{ 'a/b/c/*': true }, null, 'a/b/c'],
    [{ './*': true }, null, null],
    [{ 'neu/*': true, 'feed_info.txt': true }, null, 'neu'],
    [{ '*': true, 'extra/translations.txt': true }, null, null],
    [{ '*': true, '__MACOSX/*': true }, null, null],
    [{ 'neu/*': true, '__MACOSX/neu/*': true, 'neu/__macosx/*': true }, null, 'neu'],
    [{ 'gtfs.zip': { '*': true } }, null, 'gtfs.zip'],
    [{ 'x/GTFS.ZIP': { 'a/*': true } }, null, 'x/GTFS.ZIP/a'],
    [{ 'gtfs.zip': { '*': true }, 'readme.txt': true, 'no.zip': true }, null, 'gtfs.zip'],
    [{ '*': true, 'shapes.zip': { 'lines.shp': true } }, null, null],
    [{ 'alt/*': true, 'neu/*': true }, 'neu', 'neu'],
    [{ 'alt/*': true, 'neu/*': true }, '/neu/', 'neu'],
    [{ 'alt/*': true, 'neu/*': true }, 'NEU', 'neu'],
    [{ 'Neu/*': true, 'neu/*': true }, 'Neu', 'Neu'],
    [{ 'gr\u00f6\u00dfe/*': true, 'neu/*': true }, 'Gro\u0308\u00dfe', 'gr\u00f6\u00dfe'],
    [{ 'a/b/*': true, 'c/*': true }, 'a', 'a/b'],
    [{ '*': true, 'old/*': true }, '.', null],
    [{ '*': true, 'old/*': true }, '/', null],
    [{ '*': true, 'old/*': true }, 'old', 'old'],
    [{ 'a.zip': { '*': true }, 'b.zip': { '*': true } }, 'b.zip', 'b.zip'],
    [{ 'a.zip': { 'x/*': true }, 'b.zip': { 'x/*': true, 'y/*': true } }, 'b.zip/y', 'b.zip/y'],
    [{ 'a.zip': { 'x/*': true }, 'b.zip': { 'x/*': true, 'y/*': true } }, 'B.zip#y', 'b.zip/y'],
    [{ 'a.zip': { 'x/*': true }, 'b.zip': { '*': true } }, 'a.zip', 'a.zip/x'],
  ])('%j, selected %j: %j', async (contents, selection, expected) => {
    const { feed, texts } = await unpackBytes(await pack(contents), { maxZipEntries: 100 }, selection);
    expect(feed.feedFolder).toBe(expected);
    expect(feed.tables).toHaveLength(4);
    expect(new Set(Object.values(texts)).size).toBe(1);
  });

  it('lists unread files, also of an inner archive', async () => {
    const contents = { 'gtfs.zip': { 'a/*': true, 'a/notes.md': true }, 'readme.md': true } as const;
    const { feed } = await unpackBytes(await pack(contents));
    expect(feed.otherFiles).toEqual(['readme.md', 'gtfs.zip/a/notes.md']);
  });
});

describe('never joins tables of two folders', () => {
  it.each<[contents: Contents, selection: string | null, code: string, words: string]>([
    [{ 'alt/*': true, 'neu/*': true }, null, 'feed_several', '#alt, #neu'],
    [{ '*': true, 'old/*': true }, null, 'feed_several', '#., #old'],
    [{ 'Neu/*': true, 'neu/*': true }, null, 'feed_several', '#Neu, #neu'],
    [{ 'Neu/*': true, 'neu/*': true }, 'NEU', 'feed_several', '#Neu, #neu'],
    [{ '*': true, 'old.zip': { '*': true } }, null, 'feed_several', '#., #old.zip'],
    [{ 'a.zip': { '*': true }, 'b.zip': { 'x/*': true } }, null, 'feed_several', '#a.zip, #b.zip/x'],
    [{ 'a.zip': { 'x/*': true, 'y/*': true } }, 'a.zip', 'feed_several', '#a.zip/x, #a.zip/y'],
    [{ 'a/b/*': true, 'a/c/*': true }, 'a', 'feed_several', '#a/b, #a/c'],
    [
      { 'a/stops.txt': true, 'b/trips.txt': true, 'b/routes.txt': true },
      null,
      'feed_scattered',
      'never joined: a has stops; b has routes, trips',
    ],
    [{ 'feed/stops.txt': true, 'Feed/trips.txt': true }, null, 'feed_scattered', 'Feed has trips; feed has stops'],
    [{ 'alt/*': true }, 'neu', 'feed_folder_unknown', 'no folder "neu" with tables; it has alt'],
    [{ 'alt/*': true }, '.', 'feed_folder_unknown', 'no folder "." with tables; it has alt'],
    [{ 'readme.md': true }, 'neu', 'feed_folder_unknown', 'it has none'],
    [{ 'gtfs.zip': true }, null, 'feed_not_a_zip', 'gtfs.zip: the feed is not a readable zip archive'],
    [
      Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${i + 10}.zip`, { '*': true }])) as Contents,
      null,
      'feed_several',
      '#29.zip and 5 more',
    ],
  ])('%j, selected %j: %s', async (contents, selection, code, words) => {
    const unpacking = unpackBytes(await pack(contents), { maxZipEntries: 100 }, selection);
    await expect(unpacking).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it('counts inner archives towards the unpacked bytes', async () => {
    const inner = await packFeed(new Map([['stops.txt', randomBytes(3_500_000)]]));
    await expect(unpack(new Map([['gtfs.zip', inner]]))).rejects.toMatchObject({
      code: 'feed_too_large',
      message: 'stops.txt takes the archive over 6000000 unpacked bytes; the archive looks like a zip bomb',
    });
  });
});

it.each([
  ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
  ['lone CR', 'a\rb\r', 'a\nb\n'],
  ['all kinds', 'a\r\n\rb\n\r\nc', 'a\n\nb\n\nc'],
])('converts line ends to LF: %s', async (_title, text, expected) => {
  expect((await unpack(new Map([['stops.txt', text]]))).texts.stops).toBe(expected);
});

it('converts line ends regardless of chunk boundaries', async () => {
  // Lines of seven bytes cross the ends of chunks, whose sizes are powers of two, in every possible way.
  const lines = Array.from({ length: 60_000 }, (_, i) => String(i).padStart(5, '0'));
  const { texts } = await unpack(new Map([['stops.txt', lines.join('\r\n')]]));
  expect(texts.stops === lines.join('\n')).toBe(true);
});

describe('a zip bomb is stopped while unpacking', () => {
  const zeros = (bytes: number) => new Map([['stops.txt', Buffer.alloc(bytes)]]);
  it.each<[title: string, files: FeedFiles, limits: Partial<UnpackLimits>, message: string]>([
    [
      'by its ratio',
      zeros(3_000_000),
      {},
      'stops.txt unpacks to more than 100 times its packed size; the archive looks like a zip bomb',
    ],
    [
      'by the size of an entry',
      zeros(5_000_000),
      { maxCompressionRatio: 1e9 },
      'stops.txt unpacks to more than 4000000 bytes; the archive looks like a zip bomb',
    ],
    [
      'by the size of all entries',
      new Map([...zeros(3_500_000), ['trips.txt', Buffer.alloc(3_500_000)]]),
      { maxCompressionRatio: 1e9 },
      'trips.txt takes the archive over 6000000 unpacked bytes; the archive looks like a zip bomb',
    ],
    [
      'by the number of entries',
      new Map(Array.from({ length: 21 }, (_, i) => [`file-${i}.txt`, ''])),
      {},
      'the archive holds more than 20 entries',
    ],
  ])('%s', async (_title, files, changed, message) => {
    await expect(unpack(files, changed)).rejects.toMatchObject({ code: 'feed_too_large', message });
  });

  it('by its content if the header declares less', async () => {
    const bytes = await packFeed(new Map([['stops.txt', Buffer.alloc(3_000_000, 'stop')]]));
    setUncompressedSize(bytes, 10);
    await expect(unpackBytes(bytes)).rejects.toMatchObject({
      code: 'feed_broken',
      message: expect.stringMatching(/^stops\.txt cannot be unpacked \(too many bytes in the stream/),
    });
  });

  it('but not text with a high compression ratio', async () => {
    const rows = new Map([['stops.txt', 'stop,Wien\n'.repeat(90_000)]]);
    expect((await unpack(rows)).texts.stops).toHaveLength(900_000);
  });
});

describe('reports an invalid archive in one sentence', () => {
  const sound = packFeed(soundFeed);
  it.each<[title: string, bytes: () => Promise<Uint8Array>, code: string, message: RegExp]>([
    [
      'text',
      async () => Buffer.from('<html>404</html>'),
      'feed_not_a_zip',
      /^the feed is not a readable zip archive \(/,
    ],
    ['nothing', async () => Buffer.alloc(0), 'feed_not_a_zip', /^the feed is not a readable zip archive \(/],
    [
      'half of an archive',
      async () => (await sound).subarray(0, (await sound).length / 2),
      'feed_not_a_zip',
      /^the feed is not a readable zip archive \(/,
    ],
    ['damaged data', async () => damageFirstEntry(await sound), 'feed_broken', /^agency\.txt cannot be unpacked \(/],
    ['an encrypted entry', async () => encryptFirstEntry(await sound), 'feed_broken', /^agency\.txt .*encrypted/],
    [
      'damaged list of entries',
      async () => damageDirectory(await sound),
      'feed_broken',
      /^the archive's table of contents is damaged \(/,
    ],
    [
      'a path outside the folder',
      async () => renameEntry(await packFeed(new Map([['aa/stops.txt', 'a\n']])), 'aa/stops.txt', '../stops.txt'),
      'feed_broken',
      /^the archive's table of contents is damaged \(invalid relative path/,
    ],
  ])('%s', async (_title, bytes, code, message) => {
    await expect(unpackBytes(await bytes())).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('verifies the checksum of every entry read', () => {
  const feed: FeedFiles = new Map([...soundFeed, ['readme.md', 'for the operator']]);
  const names = [...feed.keys()];
  it.each(names.filter((name) => name.endsWith('.txt')))('%s', async (name) => {
    const bytes = changeChecksum(await packFeed(feed), name);
    await expect(unpackBytes(bytes)).rejects.toMatchObject({
      code: 'feed_broken',
      message: expect.stringMatching(
        new RegExp(`^${name} cannot be unpacked \\(its checksum is [0-9a-f]{8} instead of [0-9a-f]{8}\\)$`),
      ),
    });
  });

  it('also of stored entries', async () => {
    const zip = new yazl.ZipFile();
    zip.addBuffer(Buffer.from('stop_id\nanger\n'), 'stops.txt', { compress: false });
    zip.end();
    const bytes = await buffer(zip.outputStream);
    bytes[bytes.indexOf('anger')]! ^= 1;
    await expect(unpackBytes(bytes)).rejects.toMatchObject({
      code: 'feed_broken',
      message: expect.stringMatching(/^stops\.txt cannot be unpacked \(its checksum is/),
    });
  });

  it('reads no other files than tables', async () => {
    const { feed: found } = await unpackBytes(changeChecksum(await packFeed(feed), 'readme.md'));
    expect(found.otherFiles).toEqual(['readme.md']);
  });
});

// ---- Archives that yazl would not write ------------------------------------------------------

const CENTRAL_HEADER = Buffer.from('PK\u0001\u0002');

function setUncompressedSize(zip: Buffer, size: number): void {
  zip.writeUInt32LE(size, zip.indexOf(CENTRAL_HEADER) + 24);
}

/** In the central directory, which is authoritative. */
function changeChecksum(zip: Buffer, name: string): Buffer {
  const copy = Buffer.from(zip);
  const checksum = copy.lastIndexOf(name) - 46 + 16;
  copy.writeUInt32LE((copy.readUInt32LE(checksum) ^ 1) >>> 0, checksum);
  return copy;
}

function damageFirstEntry(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  const data = 30 + copy.readUInt16LE(26) + copy.readUInt16LE(28);
  copy.fill(0xff, data, data + 20);
  return copy;
}

function encryptFirstEntry(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  const flags = copy.indexOf(CENTRAL_HEADER) + 8;
  copy.writeUInt16LE(copy.readUInt16LE(flags) | 1, flags);
  return copy;
}

function damageDirectory(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  copy.writeUInt8(0, copy.indexOf(CENTRAL_HEADER));
  return copy;
}

function renameEntry(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}
