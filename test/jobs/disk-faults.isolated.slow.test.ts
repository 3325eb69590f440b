import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { publishStopEvents } from '../../pipeline/history/stop-events/stop-event-store.ts';
import { stopEventPartition } from '../../pipeline/lake/paths.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { dayFacts, selectRows } from '../support/worlds/stop-events.ts';
import { type CommandRun, runCommand, temporaryFolder } from './fake-world.ts';

/**
 * Folders in which nothing can be created; names of temporary files are predictable, so that a test can occupy them.
 */
const world = vi.hoisted(() => ({ readOnly: null as string | null, areNamesKnown: false }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const refusing =
    <Name extends 'mkdir' | 'open' | 'writeFile' | 'rename' | 'access'>(name: Name) =>
    async (...all: Parameters<(typeof real)[Name]>) => {
      const isWriting = name === 'access' ? all[1] === real.constants.W_OK : name !== 'open' || String(all[1]) !== 'r';
      if (isWriting && world.readOnly !== null && String(all[0]).startsWith(world.readOnly)) {
        // As in Node, which names a missing folder instead.
        const code = name === 'mkdir' ? 'ENOENT: no such file or directory' : 'EROFS: read-only file system';
        const sentence = `${code}, ${name} '${String(all[0])}'`;
        throw Object.assign(new Error(sentence), { code: code.split(':')[0], syscall: name });
      }
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...all);
    };
  const mocked = {
    mkdir: refusing('mkdir'),
    access: refusing('access'),
    open: refusing('open'),
    writeFile: refusing('writeFile'),
    rename: refusing('rename'),
  };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

vi.mock('node:crypto', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:crypto')>();
  const randomBytes = (size: number) => (world.areNamesKnown ? Buffer.alloc(size) : real.randomBytes(size));
  return { ...real, randomBytes, default: { ...real, randomBytes } };
});

const live = toSourceId('live');
const [DAMAGED, SOUND] = ['2026-01-15', '2026-01-16'] as const;

async function makeLake(): Promise<string> {
  const dataDir = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  for (const date of [DAMAGED, SOUND]) {
    const rows = [{ utc_offset_minutes: 60, scheduled_time: `${date} 12:00:00`, observed_time: `${date} 12:02:00` }];
    const facts = dayFacts({ serviceDate: date as ServiceDate, rowsIn: rows.length });
    await publishStopEvents(db, dataDir, path.join(dataDir, 'tmp', date), selectRows(rows), facts);
  }
  db.close();
  return dataDir;
}

const partOf = (dataDir: string) =>
  path.join(stopEventPartition(dataDir, live, DAMAGED as ServiceDate), 'part-0.parquet');

/** One sentence and an exit code; neither a stack nor the message before one. */
function expectOneSentence({ code, stdout, stderr }: CommandRun, sentence: RegExp): void {
  expect(stdout + stderr).not.toMatch(/This is a bug|\n\s+at /);
  const errors = `${stdout}${stderr}`.split('\n').filter((line) => sentence.test(line));
  expect(errors.length, stdout + stderr).toBeGreaterThan(0);
  expect(code).toBe(1);
}

const cuts: readonly (readonly [what: string, spoil: (bytes: Buffer) => Buffer])[] = [
  ['empty', () => Buffer.alloc(0)],
  ['cut after three bytes', (bytes) => bytes.subarray(0, 3)],
  ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1)],
  ['without its last byte', (bytes) => bytes.subarray(0, -1)],
  ['with its footer overwritten', (bytes) => Buffer.from(bytes).fill(0xff, bytes.length - 400, bytes.length - 8)],
];

describe('a Parquet file that is damaged', () => {
  it.each(cuts)('%s: check-data names the day, and checks the others', async (_what, spoil) => {
    const dataDir = await makeLake();
    await writeFile(partOf(dataDir), spoil(await readFile(partOf(dataDir))));
    const run = await runCommand(['run', 'check-data'], { dataDir });
    expectOneSentence(
      run,
      /^broken: live 2026-01-15 unreadable: .*part-0\.parquet|^broken: live 2026-01-15 unreadable/,
    );
    expect(run.stdout + run.stderr).toContain(`live: 1 days from ${SOUND} to ${SOUND}`);
  });

  it.each(cuts)('%s: export and sql report it', async (_what, spoil) => {
    const dataDir = await makeLake();
    await writeFile(partOf(dataDir), spoil(await readFile(partOf(dataDir))));
    const out = path.join(dataDir, 'out.parquet');
    expectOneSentence(await runCommand(['export', '--out', out], { dataDir }), /^error: a Parquet file is damaged: /);
    const query = await runCommand(['sql', 'select sum(delay_seconds), max(trip_id) from stop_events'], { dataDir });
    expect(query.stdout + query.stderr).not.toMatch(/This is a bug|\n\s+at /);
    expect(query.code).not.toBe(0);
  });
});

describe('export', () => {
  it.each(['parquet', 'csv', 'arrow'])(
    'to a full disk, as %s: fails with one sentence, and leaves nothing behind',
    async (format) => {
      const dataDir = await makeLake();
      const folder = await temporaryFolder();
      const out = path.join(folder, `out.${format}`);
      // Linux has a device that is always full; writing the temporary file writes there.
      await symlink('/dev/full', `${out}.${'00'.repeat(6)}.tmp`);
      world.areNamesKnown = true;
      onTestFinished(() => {
        world.areNamesKnown = false;
      });
      const run = await runCommand(['export', '--format', format, '--out', out], { dataDir });
      expectOneSentence(run, /^error: .*no space left on device/i);
      const { readdir } = await import('node:fs/promises');
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('to a place below a file', async () => {
    const dataDir = await makeLake();
    const file = path.join(await temporaryFolder(), 'a-file');
    await writeFile(file, '');
    const run = await runCommand(['export', '--out', path.join(file, 'out.parquet')], { dataDir });
    expectOneSentence(run, /^error: ENOTDIR/);
  });
});

describe('a read-only data folder', () => {
  const commands = [
    ['export', '--out', 'OUT/rows.parquet'],
    ['run', 'check-data'],
    ['run', 'build-marts'],
    ['run', 'compact-observations'],
    ['run', 'drop-old-days'],
    ['run', 'publish-iceberg'],
    ['run', 'expire-iceberg'],
    ['standby', 'live', 'on'],
  ];
  it.each(commands.map((argv) => [argv.join(' '), argv] as const))('%s', async (_name, argv) => {
    const dataDir = await makeLake();
    await mkdir(path.join(dataDir, 'locks'), { recursive: true });
    await writeFile(path.join(dataDir, 'taktgeber.yaml'), LIVE);
    const out = await temporaryFolder();
    world.readOnly = dataDir;
    onTestFinished(() => {
      world.readOnly = null;
    });
    const run = await runCommand(
      argv.map((word) => word.replace('OUT', out)),
      { dataDir },
    );
    if (run.code === 0) expect(run.stdout + run.stderr).not.toMatch(/This is a bug/);
    else expectOneSentence(run, /^error: EROFS: read-only file system.*must exist, have space left and be writable/);
  });

  it.each(['status', 'jobs', 'jobs check-data', 'alerts'])('%s reads it, with the runs of its jobs', async (argv) => {
    const dataDir = await makeLake();
    await runCommand(['run', 'check-data'], { dataDir });
    const file = path.join(dataDir, 'operations', 'operations.sqlite');
    const before = await readFile(file);
    world.readOnly = dataDir;
    onTestFinished(() => {
      world.readOnly = null;
    });
    const run = await runCommand(argv.split(' '), { dataDir });
    expect([run.code, run.stderr]).toEqual([0, '']);
    if (argv !== 'alerts') expect(run.stdout).toMatch(/check-data|hand +done/);
    expect(await readFile(file)).toEqual(before);
  });
});

const LIVE = 'realtime:\n  - {id: live, kind: gtfs-rt, tripUpdates: "http://127.0.0.1:1/"}\n';
