import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asOnlyService } from '../../jobs/locks/service-lock.ts';
import { listBackups, listObjects, objectFile, readBackup } from '../../pipeline/backup/backup-store.ts';
import { RESTORE_MARK } from '../../pipeline/backup/restore-mark.ts';
import { writeJsonAtomically } from '../../pipeline/effects/files.ts';
import { openSqlite } from '../../pipeline/effects/sql-store/sqlite-database.ts';
import { readFolderState } from '../support/checks/folder-state.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

/** A data folder with a file of each kind. */
async function makeDataFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  const files: Record<string, string> = {
    'format.json': '{"format": 3, "writtenBy": "0.1.0"}',
    'lake/timetable/stops/part-0.parquet': 'stops',
    'lake/raw/source=a/fetch_date=2026-03-01/answers.ndjson': '{"a":1}\n',
    'marts/line_daily/part-0.parquet': 'mart',
    'snapshots/history/h1/line_daily/part-0.parquet': 'mart',
    'snapshots/timetable/current.json': '{"id": "s1"}',
    'snapshots/timetable/s1/times.arrow': 'times',
    'snapshots/realtime/r1.rt': 'of a second',
    'iceberg/lake/stop_events/metadata/v1.metadata.json': 'made from the lake',
    'secrets/reference-key': 'secret',
    'locks/ingest-timetable.json': '{}',
    'locks/ingest-timetable.lock': '{}',
    'tmp/work/part': 'unfinished',
    'lake/empty': '',
  };
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dataDir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content, { mode: name.startsWith('secrets/') ? 0o600 : 0o644 });
  }
  return dataDir;
}

/** The contents of the folder and its modification times, without the backup's own record. */
async function readKept(dataDir: string): Promise<Map<string, string>> {
  const isKept = (name: string) =>
    !/^(tmp|iceberg|replaced-[^/]+|snapshots\/realtime)\/|\.lock$|^state\/backup\.json$/.test(name);
  const state = await readFolderState(dataDir, isKept);
  // Node sets times to the microsecond.
  return new Map([...state].map(([name, text]) => [name, text.replace(/^(\d+)[.\d]*/, '$1')]));
}

async function backUp(dataDir: string, store: string, ...options: string[]) {
  const run = await runCommand(['backup', '--to', store, '--json', ...options], { dataDir });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(run.stdout);
}

const schema = { name: 'test', holds: 'a test', migrations: [], postgresLock: 0 };

const restore = (store: string, dataDir: string, ...options: string[]) =>
  runCommand(['restore', '--from', store, ...options], { dataDir });

describe('a backup', () => {
  it('restores every file unchanged into a new folder', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    const outcome = await backUp(dataDir, store);
    // Equal contents are stored once.
    expect(outcome).toMatchObject({ id: '2026-03-01T12-00-00Z', files: 10, newObjects: 9 });
    const target = path.join(await temporaryFolder(), 'restored');
    const { code, stdout, stderr } = await restore(store, target);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`restored 10 files of backup 2026-03-01T12-00-00Z to ${target}, all verified (0 s)\n`);
    expect(await readKept(target)).toEqual(await readKept(dataDir));
    const modes = ['secrets', 'secrets/reference-key'].map(async (name) => (await stat(path.join(target, name))).mode);
    expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
    expect((await runCommand(['status'], { dataDir: target })).stderr).not.toContain('restore');
  });

  it('is readable by its owner only, because it contains secrets', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    await backUp(dataDir, store);
    const [sha256] = (await listObjects(store)).keys();
    const modes = [store, objectFile(store, sha256!)].map(async (place) => (await stat(place)).mode & 0o077);
    expect(await Promise.all(modes)).toEqual([0, 0]);
  });

  it('reads only changed files again, and keeps the earlier state', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    const first = await backUp(dataDir, store);
    const before = await readKept(dataDir);
    await appendFile(path.join(dataDir, 'lake/raw/source=a/fetch_date=2026-03-01/answers.ndjson'), '{"a":2}\n');
    await writeJsonAtomically(path.join(dataDir, 'snapshots/timetable/current.json'), { id: 's2' });
    await rm(path.join(dataDir, 'lake/timetable/stops/part-0.parquet'));
    // The record of the first backup is new as well.
    expect(await backUp(dataDir, store)).toMatchObject({ files: 10, newObjects: 3 });
    const target = path.join(await temporaryFolder(), 'restored');
    expect((await restore(store, target, '--backup', first.id)).code).toBe(0);
    expect(await readKept(target)).toEqual(before);
  });

  it('of watches that are being written contains confirmed changes', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    const database = await openSqlite(path.join(dataDir, 'watches', 'watches.sqlite'), schema);
    await database.query('create table t (n bigint)');
    await database.query('insert into t values (1)');
    await database.transaction(async (connection) => {
      await connection.query('insert into t values (2)');
      await backUp(dataDir, store);
    });
    await database.close();
    const target = path.join(await temporaryFolder(), 'restored');
    expect((await restore(store, target)).code).toBe(0);
    expect(await readdir(path.join(target, 'watches'))).toEqual(['watches.sqlite']);
    const copy = await openSqlite(path.join(target, 'watches', 'watches.sqlite'), schema);
    expect(await copy.query('select n from t')).toEqual([{ n: 1 }]);
    await copy.close();
  });

  it('lists what it does not contain', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    const environment = { TAKTGEBER_WATCHES_POSTGRES_URL: 'postgres://localhost/watches' };
    const { stderr } = await runCommand(['backup', '--to', store], { dataDir, environment });
    expect(stderr).toBe(
      'warning: this backup does not contain the watches, which are in PostgreSQL. Back it up with pg_dump\n',
    );
  });

  it('is not made into the data folder, nor of a folder without data', async () => {
    const dataDir = await makeDataFolder();
    const inside = await runCommand(['backup', '--to', path.join(dataDir, 'backups')], { dataDir });
    expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('is inside the data folder') });
    const empty = await runCommand(['backup', '--to', await temporaryFolder()], { dataDir: await temporaryFolder() });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('contains no data') });
  });

  it('keeps the newest, with their contents', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    for (const content of ['a', 'b', 'c']) {
      await writeFile(path.join(dataDir, 'lake', content), content.repeat(3));
      await backUp(dataDir, store);
      await rm(path.join(dataDir, 'lake', content));
    }
    const { stdout } = await runCommand(['backup', '--to', store, '--list'], { dataDir });
    expect(stdout.split('\n').filter((line) => line.startsWith('2026-'))).toHaveLength(3);
    const { dropped } = await backUp(dataDir, store, '--keep', '2');
    expect(dropped).toMatchObject({ backups: 2 });
    const ids = await listBackups(store);
    expect(ids).toHaveLength(2);
    const needed = new Set<string>();
    for (const id of ids) for (const { sha256 } of (await readBackup(store, id)).files) needed.add(sha256);
    expect(new Set((await listObjects(store)).keys())).toEqual(needed);
  });
});

describe('a damaged content', () => {
  const damages: readonly [what: string, message: string, damage: (object: string) => Promise<void>][] = [
    ['changed', 'is damaged', (object) => writeFile(object, 'xtops')],
    ['lost', 'is missing', (object) => rm(object)],
  ];
  it.each(damages)(
    'that is %s is detected, nothing is restored from it, and the next backup repairs it',
    async (...damage) => {
      const [, message, apply] = damage;
      const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
      const { id } = await backUp(dataDir, store);
      const { sha256 } = (await readBackup(store, id)).files.find((file) => file.path.endsWith('part-0.parquet'))!;
      await apply(objectFile(store, sha256));
      const verified = await runCommand(['backup', '--to', store, '--verify'], { dataDir });
      expect(verified).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      const target = path.join(await temporaryFolder(), 'restored');
      const refused = await restore(store, target);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      expect(await readdir(target)).toEqual(['tmp']);
      if (message === 'is damaged') return;
      await backUp(dataDir, store);
      expect((await runCommand(['backup', '--to', store, '--verify'], { dataDir })).code).toBe(0);
    },
  );
});

describe('a folder with data', () => {
  it('is replaced only on request, and its contents are moved aside', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    await backUp(dataDir, store);
    const target = await makeDataFolder();
    await writeFile(path.join(target, 'lake', 'own'), 'own');
    const before = await readFolderState(target);
    const refused = await restore(store, target);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('move its content aside with --force') });
    expect(await readFolderState(target)).toEqual(before);
    const forced = await restore(store, target, '--force');
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining('the previous content is in') });
    expect(await readKept(target)).toEqual(await readKept(dataDir));
    const aside = (await readdir(target)).find((name) => name.startsWith('replaced-'))!;
    expect(await readFile(path.join(target, aside, 'lake', 'own'), 'utf8')).toBe('own');
  });

  it('is not replaced while a service uses it', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    await backUp(dataDir, store);
    const run = await asOnlyService(dataDir, fakeEffects(), () => restore(store, dataDir, '--force'));
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use: process') });
  });

  it('with an interrupted restore is refused by all commands, and completed by the next restore', async () => {
    const [dataDir, store] = [await makeDataFolder(), await temporaryFolder()];
    await backUp(dataDir, store);
    const target = await temporaryFolder();
    // State after a kill between two renames: the old contents are moved aside, the first new part is in place.
    await mkdir(path.join(target, 'replaced-x', 'lake'), { recursive: true });
    await mkdir(path.join(target, 'lake'));
    await mkdir(path.join(target, 'marts'));
    const mark = { backup: 'b', replaced: 'replaced-x', former: ['lake', 'marts'] };
    await writeJsonAtomically(path.join(target, RESTORE_MARK), mark);
    const refused = await runCommand(['status'], { dataDir: target });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('or that was interrupted: run "taktgeber restore'),
    });
    expect((await restore(store, target)).code).toBe(0);
    expect(await readKept(target)).toEqual(await readKept(dataDir));
    expect(await readdir(path.join(target, 'replaced-x'))).toEqual(['lake', 'marts']);
  });
});

it.each([
  [['restore', '--from', 'nowhere'], 'there is no backup in'],
  [['backup'], "required option '--to <folder>' not specified"],
  [['backup', '--to', 'x', '--list', '--verify'], '--list and --verify exclude each other'],
])('%j is wrong usage', async (argv, message) => {
  const { code, stderr } = await runCommand(argv, { dataDir: await temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
