import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startApi } from '../../api/start-api.ts';
import { describeError } from '../../jobs/job/exit-code.ts';
import { type Job, noOptions } from '../../jobs/job/job.ts';
import { acquireLocks } from '../../jobs/locks/job-lock.ts';
import { runSchedule } from '../../jobs/schedule/schedule.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { openLiveSink } from '../../pipeline/realtime/polling/live-sink.ts';
import { clock as instantOf } from '../pipeline/realtime/live-line.ts';
import { fakeSource } from '../pipeline/realtime/polling/virtual-world.ts';
import { type DataFile, files, makeDataFolder, NOW, resolve, settings } from './damaged-data-folder.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

/** Files without read permission: tests may run as root, for whom permissions have no effect. */
const forbidden = vi.hoisted(() => new Set<string>());

/** Files with such names cannot be written: the disk is full. */
const full = vi.hoisted(() => ({ names: null as RegExp | null, openHandles: 0 }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const assertAllowed = (file: string) => {
    if (!forbidden.has(file)) return;
    const sentence = `EACCES: permission denied, open '${file}'`;
    throw Object.assign(new Error(sentence), { code: 'EACCES', syscall: 'open', path: file });
  };
  const mocked = {
    readFile: async (...all: Parameters<typeof real.readFile>) => {
      assertAllowed(String(all[0]));
      return real.readFile(...all);
    },
    open: async (...all: Parameters<typeof real.open>) => {
      assertAllowed(String(all[0]));
      const handle = await real.open(...all);
      if (!full.names?.test(String(all[0]))) return handle;
      full.openHandles += 1;
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        writeFile: async () => {
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
            code: 'ENOSPC',
            syscall: 'write',
          });
        },
        close: async () => {
          full.openHandles -= 1;
          await close();
        },
      });
    },
  };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

let sound: string;
beforeAll(async () => {
  sound = await makeDataFolder();
  return () => rm(sound, { recursive: true });
});

const damages: Readonly<Record<string, (file: string) => Promise<void>>> = {
  truncated: async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  flipped: async (file) => {
    const bytes = await readFile(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 2;
    await writeFile(file, bytes);
  },
  emptied: (file) => writeFile(file, ''),
  gone: (file) => rm(file),
  'a folder in its place': async (file) => {
    await rm(file);
    await mkdir(file);
  },
  unreadable: async (file) => {
    forbidden.add(file);
    onTestFinished(() => forbidden.clear());
  },
  'of another version': async (file) => {
    const text = await readFile(file, 'latin1');
    const isJson = text.startsWith('{');
    await writeFile(
      file,
      isJson ? JSON.stringify({ ...JSON.parse(text), formatVersion: 999, kind: 'other' }) : 'other',
    );
  },
  'an empty object': (file) => writeFile(file, '{}'),
  'an empty list': (file) => writeFile(file, '[]'),
  'an empty file': (file) => writeFile(file, 'null'),
  'of other types': (file) => writeFile(file, '{"id":5,"lastRun":{"startedAt":"soon"},"days":7,"pid":{},"figures":1}'),
};

type Damage = readonly [file: DataFile, how: string];

/** A separate damaged folder for tests that write; only `part` of it if the rest does not matter. */
async function copyDamaged([file, how]: Damage, part = ''): Promise<string> {
  const dataDir = await temporaryFolder();
  await cp(path.join(sound, part), path.join(dataDir, part), { recursive: true });
  await damages[how]!(await resolve(dataDir, file));
  return dataDir;
}

/** Damages the common folder for tests that only read it, and repairs it. */
async function withDamage([file, how]: Damage, task: (dataDir: string) => Promise<void>): Promise<void> {
  const place = await resolve(sound, file);
  const bytes = await readFile(place);
  try {
    await damages[how]!(place);
    await task(sound);
  } finally {
    forbidden.clear();
    for (const part of ['', '-wal', '-shm']) await rm(`${place}${part}`, { recursive: true, force: true });
    await writeFile(place, bytes);
  }
}

/** A stack trace, or the message before one. */
const BUG = /This is a bug|\n\s+at /;

// ---- Readers
// -----------------------------------------------------------------------------------------------------------

describe('status and jobs report unreadable files in one sentence, and show the rest', () => {
  it('all is well before', async () => {
    const { code, stderr } = await runCommand(['status'], { dataDir: sound, effects: fakeEffects(NOW) });
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each(files)('%s', async (file) => {
    for (const how of Object.keys(damages))
      await withDamage([file, how], (dataDir) => checkCommands(dataDir, file, how));
  });

  async function checkCommands(dataDir: string, file: DataFile, how: string): Promise<void> {
    const status = await runCommand(['status'], { dataDir, effects: fakeEffects(NOW) });
    const jobs = /^(jobs|operations)/.test(file)
      ? [await runCommand(['jobs'], { dataDir, effects: fakeEffects(NOW) })]
      : [];
    for (const { code, stdout, stderr } of [status, ...jobs]) {
      expect(stdout + stderr, how).not.toMatch(BUG);
      expect([0, 1, 2], how).toContain(code);
      // A failure is reported in one line that contains the word failed.
      expect(stderr.split('\n').filter((line) => line.startsWith('error: ')).length, how).toBe(code === 0 ? 0 : 1);
    }
    if (file === 'taktgeber.yaml') return;
    expect(status.stdout, how).toContain(`Data folder: ${dataDir}`);
    expect(status.stdout, how).toMatch(/REALTIME|JOB /);
  }

  it.each([
    [
      'snapshots/timetable/current.json',
      'emptied',
      /timetable: .*current\.json names no snapshot: run "taktgeber run ingest/,
    ],
    [
      'snapshots/timetable/*/manifest.json',
      'gone',
      /timetable: snapshot \w+ has lost its manifest: run ingest-timetable/,
    ],
    ['snapshots/timetable/*/manifest.json', 'unreadable', /timetable: EACCES: permission denied/],
    [
      'streets/current.json',
      'truncated',
      /streets: .*current\.json names no street graph: run "taktgeber build-streets"/,
    ],
    ['streets/*/manifest.json', 'gone', /streets: street graph town has no manifest: run "taktgeber build-streets"/],
    ['snapshots/realtime/*.rt', 'a folder in its place', /realtime: EISDIR/],
  ] as const)('%s, %s: by name, with exit code 1', async (file, how, sentence) => {
    await withDamage([file, how], async (dataDir) => {
      const { code, stderr } = await runCommand(['status'], { dataDir, effects: fakeEffects(NOW) });
      expect(code).toBe(1);
      expect(stderr).toMatch(sentence);
    });
  });
});

describe('the API starts, and serves what is readable', () => {
  const served = files.filter((file) => /^(snapshots|streets)/.test(file));

  it.each(served)('%s', async (file) => {
    for (const how of ['truncated', 'a folder in its place', 'unreadable', 'of another version', 'of other types']) {
      await withDamage([file, how], (dataDir) => checkApi(dataDir, file, how));
    }
  });

  async function checkApi(dataDir: string, file: DataFile, how: string): Promise<void> {
    const environment = { TAKTGEBER_DATA: dataDir, TAKTGEBER_PORT: '0', TAKTGEBER_PLANNER_THREADS: '0' };
    const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
    const server = await startApi({ ...config, logLevel: 'silent' }, { clock: fakeEffects(NOW).clock, log });
    try {
      const getStatus = async (url: string) => (await fetch(server.url + url)).status;
      const isWithout = isWithoutTimetable(file, how);
      expect(await getStatus('/v1/health'), how).toBe(isWithout ? 503 : 200);
      expect(await getStatus('/v1/status'), how).toBe(200);
      expect(await getStatus('/v2/stops?query=a'), how).toBe(isWithout ? 503 : 200);
      expect(await getStatus('/v1/history'), how).toBe(200);
      expect(warnings.join('\n'), how).not.toMatch(/TypeError|\n\s+at /);
    } finally {
      await server.close();
    }
  }

  // A flipped bit of a key gives another valid key, which cannot be detected.
  const damages = ['truncated', 'emptied', 'a folder in its place', 'unreadable', 'an empty object'];
  const keys = ['secrets/reference-key', 'secrets/vapid-key'] as const;
  it.each(keys.flatMap((key) => damages.map((how) => [key, how] as const)))(
    'without %s not at all: %s',
    async (key, how) => {
      await withDamage([key, how], async (dataDir) => {
        const environment = { TAKTGEBER_DATA: dataDir, TAKTGEBER_PORT: '0' };
        const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
        const failure = await startApi(config, { clock: fakeEffects(NOW).clock, log: silentLog }).then(
          () => null,
          (error: unknown) => describeError(error),
        );
        expect(failure).toMatchObject({ isBug: false, exitCode: 1 });
        expect(failure!.sentence).toContain(key.split('/')[1]);
      });
    },
  );
});

/** A pointer has no version. */
function isWithoutTimetable(file: DataFile, how: string): boolean {
  if (file === 'snapshots/timetable/current.json') return how !== 'of another version';
  return file.startsWith('snapshots/timetable/*');
}

describe('the poller', () => {
  const hows = ['truncated', 'a folder in its place', 'unreadable', 'of another version', 'of other types'];
  const read = files.filter((file) => /^(snapshots\/(timetable|realtime)|state\/observations)/.test(file));

  it.each(read)('opens, or fails with one sentence: %s', async (file) => {
    for (const how of hows) {
      const opened = await openAndPublish(await copyDamaged([file, how]));
      expect(opened.isBug, how).toBe(false);
      // Without a timetable there is nothing to match, and a folder cannot be replaced by a rename.
      const isBlocked = file === 'snapshots/realtime/current.json' && how === 'a folder in its place';
      expect(opened.hasPublished, how).toBe(!isWithoutTimetable(file, how) && !isBlocked);
      forbidden.clear();
    }
  });

  async function openAndPublish(dataDir: string) {
    try {
      const sink = await openLiveSink(dataDir, [fakeSource('live')], settings, { log: silentLog });
      await sink.publish([], instantOf('08:01')).finally(() => sink.close());
      return { hasPublished: true, isBug: false };
    } catch (error) {
      return { hasPublished: false, isBug: describeError(error).isBug };
    }
  }
});

describe('the schedule', () => {
  const read = files.filter((file) => /^(jobs|operations)/.test(file));
  const damaged = read.flatMap((file) => Object.keys(damages).map((how) => [file, how] as const));

  it.each(damaged)('runs its jobs: %s, %s', async (file, how) => {
    const dataDir = await copyDamaged([file, how], file.split('/')[0]);
    const { config } = await loadConfig({ environment: { TAKTGEBER_DATA: dataDir }, cwd: dataDir, home: dataDir });
    const effects = fakeEffects(NOW);
    const stop = new AbortController();
    const ran = new Set<string>();
    const job = (name: string): Job => ({
      name,
      summary: '',
      accepts: [],
      schedule: () => '15 * * * *',
      run: async () => {
        ran.add(name);
        return { status: 'done', summary: '' };
      },
    });
    const jobs = [job('ingest-timetable'), job('build-marts')];
    const sleep: typeof effects.sleep = async (milliseconds, signal) => {
      // Two hours are enough for each of them.
      if (effects.clock.nowMilliseconds() > Date.parse(NOW) + 2 * 3_600_000) stop.abort(new Error('enough'));
      // Runs continue beside the schedule: their disk needs real time.
      await setTimeout(5);
      await effects.sleep(milliseconds, signal);
    };
    await runSchedule({ jobs, config, effects: { ...effects, sleep }, options: noOptions, signal: stop.signal });
    // An unreadable lock may be held.
    const isHeld = file.endsWith('.lock') && how === 'unreadable';
    expect([...ran].sort()).toEqual(isHeld ? ['ingest-timetable'] : ['build-marts', 'ingest-timetable']);
    expect(effects.logged()).not.toMatch(BUG);
  });
});

it('a lock attempt on a full disk leaves neither a file nor an open handle', async () => {
  const dataDir = await temporaryFolder();
  full.names = /\.lock\.[0-9a-f]+\.tmp$/;
  onTestFinished(() => {
    full.names = null;
  });
  await expect(acquireLocks(dataDir, 'a-job', ['a-job'], fakeEffects(NOW).clock)).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(full.openHandles).toBe(0);
  expect(await readdir(path.join(dataDir, 'locks'))).toEqual([]);
  full.names = null;
  await (await acquireLocks(dataDir, 'a-job', ['a-job'], fakeEffects(NOW).clock)).release();
});
