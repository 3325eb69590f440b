import { cp, rm } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { removeStopEvents } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { trials } from '../../../support/checks/trials.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, publishDay, readMartTexts } from '../../../support/worlds/marts.ts';

/** Counts every step that changes the disk while it is watched; the one that the test selects fails. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  isWatched: false,
  failAt: Number.POSITIVE_INFINITY,
  take(step: string): void {
    if (!this.isWatched) return;
    this.steps.push(step);
    if (this.steps.length === this.failAt) throw Object.assign(new Error(`ENOSPC: ${step}`), { code: 'ENOSPC' });
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'mkdir' | 'rename' | 'rm'>(name: Name) =>
    async (...arguments_: Parameters<(typeof real)[Name]>) => {
      disk.take(`${name} ${String(arguments_[0])}`);
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...arguments_);
    };
  const open = async (...arguments_: Parameters<typeof real.open>) => {
    const [file, flags] = arguments_;
    if (String(flags) !== 'r') disk.take(`open ${String(file)}`);
    const handle = await real.open(...arguments_);
    return Object.assign(handle, { sync: async () => disk.take(`sync ${String(file)}`) });
  };
  const mocked = { mkdir: counted('mkdir'), rename: counted('rename'), rm: counted('rm'), open };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.isWatched = false;
  disk.failAt = Number.POSITIVE_INFINITY;
});

const day = '2026-01-15';
const trip = (delay: number) => [
  { delay_seconds: delay, utc_offset_minutes: 60 },
  { delay_seconds: delay, utc_offset_minutes: 60, position: 1, event: 'arrival', stop_id: 'b' },
];

/** A folder with the marts of a day, and newer stop events. */
async function prepare(change: (dataDir: string) => Promise<void>): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'live', day, trip(60));
  await publishDay(dataDir, 'live', '2026-01-16', trip(90));
  await build(dataDir);
  await change(dataDir);
  return dataDir;
}

/** Builds while the step of that number fails; without a number, completely. */
async function attempt(dataDir: string, failAt = Number.POSITIVE_INFINITY): Promise<string | null> {
  Object.assign(disk, { steps: [], failAt, isWatched: true });
  try {
    await build(dataDir);
    return null;
  } catch (error) {
    expect(error, String(error)).toMatchObject({ code: 'ENOSPC' });
    return disk.steps[failAt - 1]!;
  } finally {
    disk.isWatched = false;
  }
}

/** Steps of one kind fail alike, whatever the random name of the folder and the mart. */
function kindOf(step: string, dataDir: string): string {
  return step
    .replace(dataDir, '')
    .replaceAll(/[0-9a-z]{8}-(\d+-\d+-)?[0-9a-f]{12}/g, '*')
    .replaceAll(/\.[0-9a-f]{12}\.tmp/g, '.*')
    .replace(/[a-z]+_[a-z]+(?=\.parquet|\/month=|$)/, 'mart');
}

/** Of renames and removals of the same kind, one in so many. */
const STRIDE = Math.ceil(4 / trials(1));

/**
 * Each rename or removal leaves another state behind, but those of one kind are steps of one loop: the first, the last
 * and some in between are enough. Of other steps, the first of a kind is.
 */
function listSteps(dataDir: string): { number: number; kind: string }[] {
  const kinds = disk.steps.map((step) => kindOf(step, dataDir));
  const isChosen = (kind: string, i: number) => {
    if (kinds.indexOf(kind) === i) return true;
    if (!/^(rename|rm) /.test(kind)) return false;
    const before = kinds.slice(0, i).filter((one) => one === kind).length;
    return before % STRIDE === 0 || kinds.lastIndexOf(kind) === i;
  };
  return kinds.flatMap((kind, i) => (isChosen(kind, i) ? [{ number: i + 1, kind }] : []));
}

it.each<[reason: string, change: (dataDir: string) => Promise<void>]>([
  ['of a changed day', (dataDir) => publishDay(dataDir, 'live', day, trip(600))],
  [
    'of a removed month',
    async (dataDir) => {
      for (const date of [day, '2026-01-16']) {
        await removeStopEvents(dataDir, toSourceId('live'), date as ServiceDate);
      }
    },
  ],
])(
  'wherever building %s is cut off, every file is complete, and the next run finishes',
  { timeout: 240_000 },
  async (_case, change) => {
    const template = await prepare(change);
    const whole = await temporaryFolder();
    await cp(template, whole, { recursive: true });
    expect(await attempt(whole)).toBeNull();
    const steps = listSteps(whole);
    const expected = await readMartTexts(whole);
    for (const { number, kind } of steps) {
      const dataDir = await temporaryFolder();
      await rm(dataDir, { recursive: true });
      await cp(template, dataDir, { recursive: true });
      const failed = await attempt(dataDir, number);
      expect(kindOf(failed ?? 'nothing', dataDir)).toBe(kind);
      // Every file can be read completely.
      await readMartTexts(dataDir);
      await build(dataDir);
      expect(await readMartTexts(dataDir), kind).toEqual(expected);
      expect(await build(dataDir), kind).toEqual([]);
    }
    expect(steps.filter(({ kind }) => kind.startsWith('rename')).length).toBeGreaterThan(0);
  },
);
