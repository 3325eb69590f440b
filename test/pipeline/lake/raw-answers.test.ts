import { appendFile, cp, mkdir, readdir, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pruneRawAnswers } from '../../../pipeline/lake/prune-raw-answers.ts';
import { isIndex } from '../../../pipeline/lake/raw-answer-index.ts';
import {
  type FetchedAnswer,
  listRawAnswers,
  readRawAnswer,
  readRawBytes,
  storeRawAnswer,
} from '../../../pipeline/lake/raw-answers.ts';
import { storeRaw } from '../../../pipeline/lake/raw-store.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

const source = toSourceId('live');
const noon = parseTimestamp('2026-01-15T12:00:00Z')!;
const at = (seconds: number) => (noon + seconds) as Instant;

function fetched(content: string, seconds: number, reported: Partial<FetchedAnswer> = {}): FetchedAnswer {
  return {
    source,
    part: 'monitor-1',
    fetchedAt: at(seconds),
    extension: 'json',
    bytes: Buffer.from(content),
    facts: { url: 'https://example.org/monitor', status: 200, durationMilliseconds: 12 },
    ...reported,
  };
}

async function storeAll(dataDir: string, answers: readonly FetchedAnswer[]): Promise<string[]> {
  const ids: string[] = [];
  for (const answer of answers) ids.push((await storeRawAnswer(dataDir, answer)).rawId);
  return ids;
}

const dayFolder = (dataDir: string, date = '2026-01-15') =>
  path.join(dataDir, 'lake', 'raw', 'source=live', `fetch_date=${date}`);

async function findIndex(dataDir: string): Promise<string> {
  const [name = ''] = (await readdir(dayFolder(dataDir))).filter(isIndex);
  return path.join(dayFolder(dataDir), name);
}

/** Names of the files of the day, without the id in that of the index. */
async function listDay(dataDir: string): Promise<string[]> {
  const names = await readdir(dayFolder(dataDir));
  return names.map((name) => (isIndex(name) ? 'the index' : name)).sort();
}

/** Seconds after noon and content of each listed response. */
async function listAll(dataDir: string, from = -100_000, to = 1_000_000): Promise<[number, string][]> {
  const listed: [number, string][] = [];
  for (const { rawId, fetchedAt } of await listRawAnswers(dataDir, source, at(from), at(to))) {
    listed.push([Date.parse(fetchedAt) / 1000 - noon, (await readRawBytes(dataDir, rawId)).toString()]);
  }
  return listed;
}

describe('a raw answer', () => {
  it('is stored under its id, as gzip that any tool opens, with its metadata', async () => {
    const dataDir = await temporaryFolder();
    const facts = { url: 'u', status: 203, durationMilliseconds: 7, etag: '"1"', lastModified: 'Thu' };
    const { rawId } = await storeRawAnswer(dataDir, fetched('hello', 61, { facts }));
    expect(rawId).toBe('source=live/fetch_date=2026-01-15/120101-monitor-1-2cf24dba.json.gz');
    expect(gunzipSync(await readFile(path.join(dataDir, 'lake', 'raw', rawId))).toString()).toBe('hello');
    const { bytes, facts: read } = await readRawAnswer(dataDir, rawId);
    expect(bytes.toString()).toBe('hello');
    expect(read).toEqual({
      rawId,
      part: 'monitor-1',
      fetchedAt: '2026-01-15T12:01:01.000Z',
      bytes: 5,
      storedBytes: 25,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      ...facts,
    });
  });

  const confirmed = {
    bytes: null,
    facts: { url: 'https://example.org/monitor', status: 304, durationMilliseconds: 3 },
  };

  it('that confirms the previous one is recorded with its bytes, also the first of a day', async () => {
    const dataDir = await temporaryFolder();
    const day = 86_400;
    const ids = await storeAll(dataDir, [
      fetched('', -day, confirmed),
      fetched('hello', 0),
      fetched('', 30, confirmed),
      fetched('', day, confirmed),
      fetched('', day + 30, confirmed),
    ]);
    const today = 'source=live/fetch_date=2026-01-15/120000-monitor-1-2cf24dba.json.gz';
    const tomorrow = 'source=live/fetch_date=2026-01-16/120000-monitor-1-2cf24dba.json.gz';
    expect(ids).toEqual(['', today, today, tomorrow, tomorrow]);
    expect(await listAll(dataDir)).toEqual([0, 30, day, day + 30].map((seconds) => [seconds, 'hello']));
    const listed = await listRawAnswers(dataDir, source, at(-day), at(3 * day));
    expect(listed.map(({ status, bytes }) => [status, bytes])).toEqual(
      [200, 304, 304, 304].map((status) => [status, 5]),
    );
  });

  it('that changed nothing is recorded but not stored again', async () => {
    const dataDir = await temporaryFolder();
    const other = { part: 'monitor-2' };
    const ids = await storeAll(dataDir, [
      fetched('a', 0),
      fetched('a', 5, other),
      fetched('a', 15),
      fetched('b', 30),
      fetched('a', 45),
      fetched('a', 50, other),
    ]);
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 1, 0, 3, 4, 1]);
    expect(await listDay(dataDir)).toEqual([
      '120000-monitor-1-ca978112.json.gz',
      '120005-monitor-2-ca978112.json.gz',
      '120030-monitor-1-3e23e816.json.gz',
      '120045-monitor-1-ca978112.json.gz',
      'the index',
    ]);
    expect(await listAll(dataDir)).toEqual([
      [0, 'a'],
      [5, 'a'],
      [15, 'a'],
      [30, 'b'],
      [45, 'a'],
      [50, 'a'],
    ]);
  });

  it('of a new day, or whose bytes are gone, is stored again', async () => {
    const dataDir = await temporaryFolder();
    const ids = await storeAll(dataDir, [fetched('a', 0), fetched('a', 86_400), fetched('a', 86_415)]);
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 1, 1]);
    await rm(path.join(dataDir, 'lake', 'raw', ids[1]!));
    expect(await storeAll(dataDir, [fetched('a', 86_430)])).not.toContain(ids[1]);
  });

  it('does not replace another one of the same second', async () => {
    const dataDir = await temporaryFolder();
    const contents = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(contents.map((content) => storeRawAnswer(dataDir, fetched(content, 0))));
    expect((await listAll(dataDir)).map(([, content]) => content).sort()).toEqual(contents);
  });

  it.each([{ part: '../x' }, { part: '' }, { part: 'A' }, { extension: 'a/b' }])(
    'with %j cannot name a file',
    async (reported) => {
      const dataDir = await temporaryFolder();
      await expect(storeRawAnswer(dataDir, fetched('a', 0, reported))).rejects.toThrow(RangeError);
      expect(await readdir(dataDir)).toEqual([]);
    },
  );

  it.each(['source=live/fetch_date=2026-01-15/120000-x-00000000.json.gz', '../../../etc/passwd', ''])(
    'that was never stored is missing: %s',
    async (rawId) => {
      const dataDir = await temporaryFolder();
      await expect(readRawAnswer(dataDir, rawId)).rejects.toMatchObject({ code: 'raw_answer_missing' });
    },
  );
});

describe('the list of raw answers', () => {
  it('contains responses between two instants in the order of fetching', async () => {
    const dataDir = await temporaryFolder();
    await storeAll(dataDir, [fetched('c', 43_200), fetched('b', 30), fetched('a', 0), fetched('d', 86_400)]);
    expect(await listAll(dataDir)).toEqual([
      [0, 'a'],
      [30, 'b'],
      [43_200, 'c'],
      [86_400, 'd'],
    ]);
    expect((await listAll(dataDir, 30, 86_400)).map(([, content]) => content)).toEqual(['b', 'c']);
    expect(await listRawAnswers(dataDir, toSourceId('nobody'), at(0), at(60))).toEqual([]);
  });

  it('lists the responses of two machines and of a version that named no writer', async () => {
    const [dataDir, other] = [await temporaryFolder(), await temporaryFolder()];
    await storeAll(dataDir, [fetched('a', 0)]);
    await rename(await findIndex(dataDir), path.join(dayFolder(dataDir), 'answers.ndjson'));
    await storeAll(dataDir, [fetched('c', 30)]);
    await storeAll(other, [fetched('b', 15), fetched('d', 45)]);
    await cp(dayFolder(other), dayFolder(dataDir), { recursive: true });
    expect(await listAll(dataDir)).toEqual([
      [0, 'a'],
      [15, 'b'],
      [30, 'c'],
      [45, 'd'],
    ]);
  });

  it('tolerates a line that a crash has cut off at any byte', async () => {
    const dataDir = await temporaryFolder();
    await storeAll(dataDir, [fetched('a', 0)]);
    const index = await findIndex(dataDir);
    const first = (await readFile(index)).length;
    await storeAll(dataDir, [fetched('b', 15)]);
    const second = (await readFile(index)).length;
    for (let length = second - 1; length >= first; length -= 11) {
      await truncate(index, length);
      expect((await listAll(dataDir))[0]).toEqual([0, 'a']);
      await storeAll(dataDir, [fetched('c', 30)]);
      expect((await listAll(dataDir)).at(-1)).toEqual([30, 'c']);
    }
  });

  it('finds the previous response of a part in an index of any length', async () => {
    const dataDir = await temporaryFolder();
    const [first] = await storeAll(dataDir, [fetched('a', 0)]);
    const index = await findIndex(dataDir);
    await appendFile(index, `${JSON.stringify({ part: 'other', fill: 'x'.repeat(1000) })}\n`.repeat(200));
    expect(await storeAll(dataDir, [fetched('a', 15)])).toEqual([first]);
  });
});

describe('pruning', () => {
  const limits = { maxAgeHours: 72, maxBytes: 1_000_000 };
  const hours = (count: number) => at(count * 3600);

  it('drops data older than the limit, with its day', async () => {
    const dataDir = await temporaryFolder();
    await storeAll(dataDir, [fetched('a', 0), fetched('b', 3600), fetched('c', 86_400)]);
    expect(await pruneRawAnswers(dataDir, limits, hours(72))).toMatchObject({ files: 0 });
    expect(await pruneRawAnswers(dataDir, limits, hours(72.5))).toEqual({ files: 1, bytes: 21, keptBytes: 42 });
    expect((await listAll(dataDir)).map(([, content]) => content)).toEqual(['b', 'c']);
    await pruneRawAnswers(dataDir, limits, hours(74));
    expect(await readdir(path.dirname(dayFolder(dataDir)))).toEqual(['fetch_date=2026-01-16']);
    expect(await pruneRawAnswers(dataDir, limits, hours(74))).toEqual({ files: 0, bytes: 0, keptBytes: 21 });
  });

  it('drops the oldest of all sources while they are too large', async () => {
    const dataDir = await temporaryFolder();
    const elsewhere = { source: toSourceId('other') };
    await storeAll(dataDir, [
      fetched('a', 0),
      fetched('b', 15, elsewhere),
      fetched('c', 30),
      fetched('d', 45, elsewhere),
    ]);
    expect(await pruneRawAnswers(dataDir, { ...limits, maxBytes: 50 }, at(60))).toEqual({
      files: 2,
      bytes: 42,
      keptBytes: 42,
    });
    expect(await listAll(dataDir)).toEqual([[30, 'c']]);
    expect(await pruneRawAnswers(dataDir, { ...limits, maxBytes: 0 }, at(60))).toMatchObject({ keptBytes: 0 });
    // The day is not over: the poller may be writing the index.
    expect(await listDay(dataDir)).toEqual(['the index']);
  });

  it('keeps the index of a day whose responses are elsewhere until they are too old', async () => {
    const dataDir = await temporaryFolder();
    const [rawId] = await storeAll(dataDir, [fetched('a', 0)]);
    await rm(path.join(dataDir, 'lake', 'raw', rawId!));
    await pruneRawAnswers(dataDir, limits, hours(71));
    expect(await listDay(dataDir)).toEqual(['the index']);
    await pruneRawAnswers(dataDir, limits, hours(73));
    expect(await readdir(path.dirname(dayFolder(dataDir)))).toEqual([]);
  });

  it('keeps bytes as long as a response needs them', async () => {
    const dataDir = await temporaryFolder();
    await storeAll(dataDir, [fetched('a', 0), fetched('b', 5, { part: 'other' }), fetched('a', 3600)]);
    expect(await pruneRawAnswers(dataDir, limits, hours(72.5))).toMatchObject({ files: 1 });
    expect((await listAll(dataDir)).map(([, content]) => content)).toEqual(['a', 'a']);
  });

  describe('a clock that was set', () => {
    it('a year ahead for three hours loses no more than two hours of age in each', async () => {
      const dataDir = await temporaryFolder();
      await storeAll(
        dataDir,
        Array.from({ length: 80 }, (_, hour) => fetched(`answer ${hour}`, hour * 3600)),
      );
      await pruneRawAnswers(dataDir, limits, hours(79));
      expect((await listAll(dataDir)).length).toBe(73);
      for (const hour of [1, 2, 3]) await pruneRawAnswers(dataDir, limits, hours(365 * 24 + hour));
      expect((await listAll(dataDir)).length).toBe(73 - 6);
      await pruneRawAnswers(dataDir, limits, hours(80));
      expect((await listAll(dataDir)).length).toBe(73 - 6);
    });

    it('ahead, and back: data dated ahead is the first to go when room is needed', async () => {
      const dataDir = await temporaryFolder();
      await storeAll(dataDir, [fetched('a', 0), fetched('b', 30), fetched('c', 365 * 86_400)]);
      expect(await pruneRawAnswers(dataDir, limits, at(60))).toMatchObject({ files: 0 });
      expect(await pruneRawAnswers(dataDir, { ...limits, maxBytes: 50 }, at(60))).toMatchObject({ files: 1 });
      expect((await listAll(dataDir)).map(([, content]) => content)).toEqual(['a', 'b']);
    });
  });

  it('does not touch timetables of the same source', async () => {
    const dataDir = await temporaryFolder();
    const zip = path.join(dataDir, 'tmp', 'feed.zip');
    await mkdir(path.dirname(zip), { recursive: true });
    await writeFile(zip, 'zip');
    const raw = await storeRaw(dataDir, source, zip, { location: 'here', fetchedAt: at(0) });
    await storeAll(dataDir, [fetched('a', 0)]);
    await utimes(raw.file, 0, 0);
    await pruneRawAnswers(dataDir, { maxAgeHours: 0, maxBytes: 0 }, hours(1000));
    const names = [path.basename(raw.file), `${path.basename(raw.file)}.json`];
    expect(await listDay(dataDir)).toEqual(names.sort());
  });

  it('removes the remains of a crash', async () => {
    const dataDir = await temporaryFolder();
    await storeAll(dataDir, [fetched('a', 0)]);
    await writeFile(path.join(dayFolder(dataDir), '120015-monitor-1-00000000.json.gz'), 'without a line');
    await writeFile(path.join(dayFolder(dataDir), '120030-monitor-1-00000000.json.gz.0123456789ab.tmp'), 'half');
    expect(await listAll(dataDir)).toEqual([[0, 'a']]);
    expect(await pruneRawAnswers(dataDir, limits, hours(73))).toEqual({ files: 3, bytes: 39, keptBytes: 0 });
    expect(await readdir(path.dirname(dayFolder(dataDir)))).toEqual([]);
  });
});
