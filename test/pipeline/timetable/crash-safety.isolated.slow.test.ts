import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findCurrentTimetableId } from '../../../pipeline/snapshots/timetable-files.ts';
import {
  type Ingest,
  type IngestOptions,
  ingestFeeds,
  readPublished,
  soundFeed,
  temporaryFolder,
} from '../../support/worlds/ingest.ts';
import { type FeedFiles, withFiles } from '../../support/worlds/text-feed.ts';

/** Counts every step that changes the disk; the one that the test selects fails, as on a full disk. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  take(step: string): void {
    this.steps.push(step);
    if (this.steps.length === this.failAt) {
      throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC', syscall: step.split(' ')[0] });
    }
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'mkdir' | 'rename' | 'copyFile' | 'chmod'>(name: Name) =>
    async (...arguments_: Parameters<(typeof real)[Name]>) => {
      disk.take(`${name} ${String(arguments_[0])}`);
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...arguments_);
    };
  const open = async (...arguments_: Parameters<typeof real.open>) => {
    const [file, flags] = arguments_;
    if (String(flags).includes('w')) disk.take(`open ${String(file)}`);
    const handle = await real.open(...arguments_);
    const writeFile = handle.writeFile.bind(handle);
    handle.writeFile = async (...content: Parameters<typeof handle.writeFile>) => {
      disk.take(`write ${String(file)}`);
      return writeFile(...content);
    };
    // Whether data reach the disk cannot be observed here, only that a sync was requested.
    handle.sync = async () => disk.take(`sync ${String(file)}`);
    return handle;
  };
  const mocked = {
    mkdir: counted('mkdir'),
    rename: counted('rename'),
    copyFile: counted('copyFile'),
    chmod: counted('chmod'),
    open,
  };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.failAt = Number.POSITIVE_INFINITY;
});

const laterFeed = withFiles(soundFeed, {
  'stop_times.txt': soundFeed.get('stop_times.txt')!.replaceAll('08:', '10:'),
});

const OLD_TRIP = 't1: a 08:00, b 08:10/08:11, c 08:20';

type IngestedFeed = readonly [feed: FeedFiles, options: IngestOptions];

/** Steps of one kind fail alike: another table, another random name, opening or filling a temporary file. */
function kindOf(step: string, dataDir: string): string {
  return step
    .replace(dataDir, '')
    .replace(/tmp\/[^/]+\/(typed-)?[a-z_]+\.parquet/, 'tmp/$1table')
    .replace(/[a-z_]+\.arrow$/, 'table.arrow')
    .replace(/(gtfs|timetable)\/[a-z_]+\/source/, '$1/table/source')
    .replaceAll(/[0-9a-z]{8}-[0-9a-f]{12}|[0-9a-f]{12,16}/g, '*')
    .replace(/^(?:open|write|sync) (.*\.tmp)$/, 'write $1');
}

/** A failure that creates a folder, opens a table or syncs leaves the same state as the next step. */
function isLikeTheNext(kind: string): boolean {
  return /^(mkdir|sync|chmod) |^open .*\.arrow$/.test(kind);
}

/** Runs once without a fault, and returns the steps to fail at: the first one of each kind. */
async function findSteps(dataDir: string, run: () => Promise<unknown>): Promise<number[]> {
  disk.steps = [];
  await run();
  const kinds = disk.steps.map((step) => kindOf(step, dataDir));
  return kinds.flatMap((kind, i) => (kinds.indexOf(kind) === i && !isLikeTheNext(kind) ? i + 1 : []));
}

/** Fails at the n-th step, and returns that step. The run ends there, or reports that the feed could not be copied. */
async function crashAt(n: number, run: () => Promise<Ingest>): Promise<string> {
  disk.steps = [];
  disk.failAt = n;
  const end = await run().then(
    ({ outcome }) => outcome.feeds[0]!.failure,
    (error: Error) => error.message,
  );
  disk.failAt = Number.POSITIVE_INFINITY;
  expect(end, `step ${n}`).toMatch(/^ENOSPC|^the feed at .* cannot be copied$/);
  return disk.steps[n - 1]!;
}

it('counts steps of every kind', async () => {
  const dataDir = await temporaryFolder();
  const steps = await findSteps(dataDir, () => ingestFeeds({ test: soundFeed }, { dataDir }));
  expect(steps.length).toBeGreaterThan(20);
  const verbs = new Set(disk.steps.map((step) => step.split(' ')[0]));
  expect([...verbs].sort()).toEqual(['chmod', 'copyFile', 'mkdir', 'open', 'rename', 'sync', 'write']);
});

describe('leaves a complete timetable after a crash, and the next run completes what is missing', () => {
  it.each<[title: string, before: readonly IngestedFeed[], crashing: IngestedFeed]>([
    ['while a new version is added to the lake', [[soundFeed, {}]], [laterFeed, { isDryRun: true }]],
    [
      'while its snapshot is published',
      [
        [soundFeed, {}],
        [laterFeed, { isDryRun: true }],
      ],
      [laterFeed, {}],
    ],
    [
      'while the published version is rebuilt with force',
      [[soundFeed, {}]],
      [soundFeed, { isForced: true, isDryRun: true }],
    ],
  ])('%s', async (_title, before, [feed, options]) => {
    const published = await temporaryFolder();
    for (const [test, how] of before) await ingestFeeds({ test }, { dataDir: published, ...how });
    const oldId = await findCurrentTimetableId(published);
    const whole = await copyOf(published);
    const steps = await findSteps(whole, () => ingestFeeds({ test: feed }, { dataDir: whole, ...options }));
    const complete = await ingestFeeds({ test: feed }, { dataDir: whole });
    const newTrip = (await complete.timetable()).trips[0];

    for (const n of steps) {
      const dataDir = await copyOf(published);
      const step = await crashAt(n, () => ingestFeeds({ test: feed }, { dataDir, ...options }));
      const current = await findCurrentTimetableId(dataDir);
      expect([oldId, complete.outcome.snapshotId], step).toContain(current);
      expect((await readPublished(dataDir)).trips[0], step).toBe(current === oldId ? OLD_TRIP : newTrip);

      const repaired = await ingestFeeds({ test: feed }, { dataDir });
      expect(repaired.outcome.snapshotId, step).toBe(complete.outcome.snapshotId);
      expect((await repaired.timetable()).trips[0], step).toBe(newTrip);
      expect(await listFiles(dataDir), step).toEqual(await listFiles(whole));
    }
  });
});

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}

/** Everything that counts, without remains of a crash. */
async function listFiles(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
    .filter((name) => /^(lake|snapshots)\//.test(name))
    .sort();
}
