import { cp } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import {
  findStopEventManifest,
  listStopEventDays,
  publishStopEvents,
} from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { dayFacts, readStopEvents, selectRows } from '../../../support/worlds/stop-events.ts';

/** Counts every step that changes the disk; the one that the test selects fails, as on a full disk. */
const disk = vi.hoisted(() => ({
  steps: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  take(step: string): void {
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
    disk.take(`open ${String(arguments_[0])}`);
    return real.open(...arguments_);
  };
  const mocked = { mkdir: counted('mkdir'), rename: counted('rename'), rm: counted('rm'), open };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.failAt = Number.POSITIVE_INFINITY;
});

const live = toSourceId('live');
const day = '2026-01-15' as ServiceDate;

async function publishTrip(dataDir: string, tripId: string) {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  const work = path.join(await temporaryFolder(), 'work');
  return publishStopEvents(db, dataDir, work, selectRows([{ trip_id: tripId }]), dayFacts());
}

it.each([[[]], [['old']]])('a crash at any step leaves the old day (%j), none, or the new one', async (before) => {
  const published = await temporaryFolder();
  for (const tripId of before) await publishTrip(published, tripId);
  const whole = await copyOf(published);
  disk.steps = [];
  const { rowsHash } = await publishTrip(whole, 'new');
  const steps = disk.steps.length;
  expect(steps).toBeGreaterThan(8);

  const found = new Set<unknown>();
  for (let n = 1; n <= steps; n++) {
    const dataDir = await copyOf(published);
    disk.steps = [];
    disk.failAt = n;
    await expect(publishTrip(dataDir, 'new')).rejects.toMatchObject({ code: 'ENOSPC' });
    disk.failAt = Number.POSITIVE_INFINITY;
    found.add(await whatIsThere(dataDir));
    expect(await publishTrip(dataDir, 'new')).toMatchObject({ rowsHash });
    expect(await whatIsThere(dataDir)).toBe('new');
  }
  // The last step, the sync after the manifest's rename, fails beside a complete day.
  expect([...found].sort()).toEqual([...before, 'none', 'new'].filter((one, i, all) => all.indexOf(one) === i).sort());
});

/** The trip that readers find; files without a manifest are ignored. */
async function whatIsThere(dataDir: string): Promise<unknown> {
  const manifest = await findStopEventManifest(dataDir, live, day);
  expect(await listStopEventDays(dataDir)).toHaveLength(manifest ? 1 : 0);
  if (!manifest) return 'none';
  const [row] = await readStopEvents(dataDir, live, day, 'trip_id');
  return row!.trip_id;
}

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}
