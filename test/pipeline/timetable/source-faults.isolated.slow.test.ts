import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { findCurrentTimetableId } from '../../../pipeline/snapshots/timetable-files.ts';
import {
  type Ingest,
  ingestFeeds,
  readPublished,
  silentLog,
  soundFeed,
  temporaryFolder,
} from '../../support/worlds/ingest.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';

/** The step that fails, its error, and the source in progress. */
const fault = vi.hoisted(() => ({ step: '', error: new Error() as unknown, source: '', current: '' }));

const failing = vi.hoisted(
  () =>
    <Module extends object>(module: Module, ...names: (keyof Module & string)[]): Module => {
      const wrapped = names.map((name) => {
        const real = module[name] as (...all: unknown[]) => unknown;
        const mocked = (...all: unknown[]) => {
          const isHere = fault.step === name && fault.current === fault.source;
          if (isHere) throw fault.error;
          return real(...all);
        };
        return [name, mocked] as const;
      });
      return { ...module, ...Object.fromEntries(wrapped) };
    },
);

vi.mock('../../../pipeline/timetable/feed/fetch-feed.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/timetable/feed/fetch-feed.ts')>(), 'fetchFeed'),
);
vi.mock('../../../pipeline/lake/raw-store.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/lake/raw-store.ts')>(), 'storeRaw'),
);
vi.mock('../../../pipeline/timetable/feed/unpack-feed.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/timetable/feed/unpack-feed.ts')>(), 'unpackFeed'),
);
vi.mock('../../../pipeline/timetable/feed/text-tables.ts', async (original) =>
  failing(
    await original<typeof import('../../../pipeline/timetable/feed/text-tables.ts')>(),
    'writeTextTable',
    'createTextView',
  ),
);
vi.mock('../../../pipeline/timetable/feed/typed-tables.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/timetable/feed/typed-tables.ts')>(), 'buildTypedTables'),
);
vi.mock('../../../pipeline/lake/parquet-facts.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/lake/parquet-facts.ts')>(), 'publishPartitions'),
);
vi.mock('../../../pipeline/timetable/feed/feed-manifest.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/timetable/feed/feed-manifest.ts')>(), 'writeFeedManifest'),
);
vi.mock('../../../pipeline/effects/duckdb.ts', async (original) =>
  failing(await original<typeof import('../../../pipeline/effects/duckdb.ts')>(), 'openDuckdb', 'readSql'),
);

/** The version of which no snapshot can be built. */
const builders = vi.hoisted(() => ({
  broken: null as string | null,
  isBrokenTogether: false,
  error: new Error() as unknown,
  calls: 0,
}));
vi.mock('../../../pipeline/timetable/snapshot/build-timetable.ts', async (original) => {
  const real = await original<typeof import('../../../pipeline/timetable/snapshot/build-timetable.ts')>();
  const buildTimetable: typeof real.buildTimetable = async (feeds, ...rest) => {
    builders.calls++;
    if (builders.isBrokenTogether && feeds.length > 1) throw builders.error;
    const isBroken = ({ manifest }: { manifest: { feedVersion: string } }) => manifest.feedVersion === builders.broken;
    if (feeds.some(({ versions }) => versions.some(isBroken))) throw builders.error;
    return real.buildTimetable(feeds, ...rest);
  };
  return { ...real, buildTimetable };
});

/** The valid feed with its first trip at another hour. */
const feedAt = (hour: string) =>
  withFiles(soundFeed, { 'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', `${hour}:`) });

const old = { one: feedAt('07'), two: feedAt('08'), three: feedAt('09') };
const changed = { one: feedAt('07'), two: feedAt('11'), three: feedAt('12') };

afterEach(() => {
  fault.step = '';
  Object.assign(builders, { broken: null, isBrokenTogether: false });
});

let published: string;
beforeAll(async () => {
  published = await mkdtemp(path.join(tmpdir(), 'taktgeber-faults-'));
  await ingestFeeds(old, { dataDir: published });
});
afterAll(() => rm(published, { recursive: true }));

async function publishedFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await cp(published, dataDir, { recursive: true });
  return dataDir;
}

/** Ingests with a log that follows the source in progress; returns the warnings. */
async function ingestWatched(feeds: typeof changed, dataDir: string): Promise<Ingest & { warnings: string[] }> {
  const warnings: string[] = [];
  const progress = (line: string) => {
    fault.current = line.split(':')[0]!;
  };
  const log = { ...silentLog, progress, warn: (line: string) => void warnings.push(line) };
  return { ...(await ingestFeeds(feeds, { dataDir, log })), warnings };
}

const firstTrips = async ({ timetable }: Ingest) => (await timetable()).trips.filter((trip) => trip.includes('t1:'));
const trip = (source: string, hour: string) =>
  `${source}:t1: ${source}:a ${hour}:00, ${source}:b ${hour}:10/${hour}:11, ${source}:c ${hour}:20`;

const errors: readonly [kind: string, error: unknown, failure: RegExp, isBug: boolean][] = [
  ['a bug', new TypeError('x is not a function'), /^a bug in taktgeber, see the log \(TypeError: x is not/, true],
  [
    'an engine that fails',
    new Error('INTERNAL Error: oops\n\nStack Trace'),
    /^a bug .* \(Error: INTERNAL Error: oops\)$/,
    true,
  ],
  ['a thrown value other than an Error', 'oops', /^a bug in taktgeber, see the log \(oops\)$/, true],
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
    /^ENOSPC: no space left on device, write$/,
    false,
  ],
  ['an I/O error', new ExternalError('disk_failed', 'No space left', { isRetryable: true }), /^No space left$/, false],
];

const steps = [
  ...['fetchFeed', 'storeRaw', 'openDuckdb', 'unpackFeed', 'writeTextTable', 'buildTypedTables', 'createTextView'],
  ...['readSql', 'publishPartitions', 'writeFeedManifest'],
];

describe('a source that fails during the ingest only misses its own update', () => {
  // The kinds of errors are distributed over the steps.
  const cases = steps.map((step, i) => [step, ...errors[i % errors.length]!] as const);
  it.each(cases)('%s throws %s', async (step, _kind, error, failure, isBug) => {
    const dataDir = await publishedFolder();
    Object.assign(fault, { step, error, source: 'two', current: '' });
    const ingest = await ingestWatched(changed, dataDir);
    fault.step = '';
    expect(ingest.outcome.feeds.map((feed) => feed.failure)).toEqual([
      undefined,
      expect.stringMatching(failure),
      undefined,
    ]);
    expect(ingest.outcome.feeds[1]!.isBug).toBe(isBug);
    expect(await firstTrips(ingest)).toEqual([trip('one', '07'), trip('three', '12'), trip('two', '08')]);
    expect(ingest.warnings.filter((line) => line.startsWith('two: this is a bug in taktgeber'))).toHaveLength(
      isBug ? 1 : 0,
    );
    expect(await readdir(workFolder(dataDir))).toEqual([]);
  });
});

describe('a version that cannot be built into a snapshot only misses its own update', () => {
  async function breakVersion(feeds: typeof changed, dataDir: string): Promise<void> {
    const { outcome } = await ingestFeeds(feeds, { dataDir, isDryRun: true });
    builders.broken = outcome.feeds[1]!.feedVersion;
    builders.calls = 0;
  }

  it.each(errors)('%s', async (_kind, error, failure, isBug) => {
    const dataDir = await publishedFolder();
    await breakVersion(changed, dataDir);
    builders.error = error;
    const ingest = await ingestWatched(changed, dataDir);
    expect(ingest.outcome.feeds.map((feed) => feed.failure)).toEqual([
      undefined,
      expect.stringMatching(failure),
      undefined,
    ]);
    expect(ingest.outcome.feeds[1]).toMatchObject({ isBug, isUnchanged: true });
    expect(ingest.outcome.snapshotId).toBe(await findCurrentTimetableId(dataDir));
    expect(await firstTrips(ingest)).toEqual([trip('one', '07'), trip('three', '12'), trip('two', '08')]);
    // All three, each alone, and the remaining ones.
    expect(builders.calls).toBe(5);
    builders.broken = null;
    expect(await firstTrips(await ingestWatched(changed, dataDir))).toContain(trip('two', '11'));
  });

  it('leaves out a source that was never published', async () => {
    const dataDir = await temporaryFolder();
    await breakVersion(changed, dataDir);
    builders.error = new TypeError('x is not a function');
    const ingest = await ingestWatched(changed, dataDir);
    expect(ingest.outcome.feeds[1]).toMatchObject({ feedVersion: null, isBug: true });
    expect((await ingest.timetable()).snapshot.manifest.sources.map(({ sourceId }) => sourceId)).toEqual([
      'one',
      'three',
    ]);
  });

  it('keeps the published snapshot without a fallback version', async () => {
    const dataDir = await publishedFolder();
    const before = await findCurrentTimetableId(dataDir);
    const feeds = { ...changed, two: old.two };
    await breakVersion(feeds, dataDir);
    const ingest = await ingestWatched(feeds, dataDir);
    expect(ingest.outcome.snapshotId).toBe(before);
    expect(ingest.outcome.feeds.map(({ failure }) => failure !== undefined)).toEqual([false, true, false]);
    expect((await readPublished(dataDir)).trips).toContain(trip('two', '08'));
  });

  it('throws errors that occur only with all sources, and keeps the published snapshot', async () => {
    const dataDir = await publishedFolder();
    const before = await findCurrentTimetableId(dataDir);
    builders.isBrokenTogether = true;
    builders.error = new TypeError('x is not a function');
    await expect(ingestWatched(changed, dataDir)).rejects.toThrow('x is not a function');
    expect(await findCurrentTimetableId(dataDir)).toBe(before);
  });
});
