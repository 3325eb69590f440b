import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { Interruption } from '../../jobs/job/exit-code.ts';
import { findServiceHolder } from '../../jobs/locks/service-lock.ts';
import { openDataFolder } from '../../jobs/open-data-folder.ts';
import { outcome, publish } from './fake-ingest.ts';
import type { Parts } from './fake-world.ts';
import { fakeEffects, press, runCommand, temporaryFolder } from './fake-world.ts';

/** A folder on a full disk: files can be read, and nothing can be written. */
const world = vi.hoisted(() => ({ full: null as string | null }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const open = async (...all: Parameters<(typeof real)['open']>) => {
    if (all[1] !== 'r' && world.full !== null && String(all[0]).startsWith(world.full)) {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    }
    return real.open(...all);
  };
  return { ...real, open, default: { ...real, open } };
});

let dataDir: string;
let stop: AbortController;

beforeEach(async () => {
  dataDir = await temporaryFolder();
  stop = new AbortController();
  await openDataFolder({ dataDir, isWritten: true }, fakeEffects());
  world.full = null;
});

/** Runs a service on a full disk; there is room after its first wait, if a test requests it. */
async function runFull(command: 'up' | 'schedule', { isFreed = false } = {}) {
  const events: string[] = [];
  const end = () => press(stop, new Interruption('SIGINT'));
  const parts: Partial<Parts> = {
    startApi: async ({ port }) => {
      events.push('listen');
      if (!isFreed) setTimeout(end, 50);
      return { url: `http://127.0.0.1:${port}`, close: async () => {} };
    },
    writeSample: async () => {},
    ingestTimetable: async () => outcome({ isUnchanged: true }),
    pollRealtime: async () => {
      const holder = await findServiceHolder(dataDir, fakeEffects());
      events.push(holder === null ? 'poll unlocked' : 'poll');
      end();
      return [];
    },
  };
  world.full = dataDir;
  const environment = { TAKTGEBER_SCHEDULE_IS_ENABLED: String(command === 'schedule') };
  const base = fakeEffects();
  // Time passes immediately, and lets other tasks run.
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (isFreed) world.full = null;
    return base.sleep(milliseconds, signal);
  };
  const noJobs = command === 'schedule' ? { jobs: [] } : {};
  const run = await runCommand([command], {
    dataDir,
    stop,
    parts,
    environment,
    effects: { ...base, sleep },
    ...noJobs,
  });
  return { ...run, events };
}

const CONFIGURED = `sources: [{id: wien, gtfs: "https://example.org/a.zip"}]
realtime: [{id: live, kind: gtfs-rt, tripUpdates: "http://127.0.0.1:1/"}]
`;

it.each([
  ['configured sources', 'wien', CONFIGURED],
  ['the sample', 'sample', 'port: 8080\n'],
])(
  'up on a full disk serves what was published of %s, and reports that it cannot write',
  async (_of, source, config) => {
    await publish(dataDir, source);
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), config);
    const { code, stderr, events } = await runFull('up');
    expect([code, events]).toEqual([0, ['listen']]);
    expect(stderr).toContain(`warning: ${dataDir} cannot be written: ENOSPC: no space left on device`);
    expect(stderr).not.toMatch(/This is a bug|\n\s+at /);
  },
);

it('up without published data fails, with the reason', async () => {
  const { code, stderr } = await runFull('up');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: ENOSPC: no space left on device.*must exist, have space left and be writable/m);
});

it.each(['up', 'schedule'] as const)('%s polls as soon as there is room, under its lock', async (command) => {
  await publish(dataDir, 'wien');
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIGURED);
  const { code, stderr, events } = await runFull(command, { isFreed: true });
  expect([code, events.at(-1)]).toEqual([0, 'poll']);
  expect(stderr).toContain(`${dataDir} is writable again: starting polling and jobs`);
});
