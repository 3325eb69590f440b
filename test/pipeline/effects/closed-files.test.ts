import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { getSecret } from '../../../pipeline/effects/secret-file.ts';
import { openSqlite } from '../../../pipeline/effects/sql-store/sqlite-database.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-closed-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
});

const listModes = async (...names: readonly string[]) =>
  Promise.all(names.map(async (name) => ((await stat(path.join(dataDir, name))).mode & 0o777).toString(8)));

it.each([false, true])(
  'secrets are unreadable for other users from their creation; the folder existed: %s',
  async (existed) => {
    if (existed) await mkdir(path.join(dataDir, 'secrets'), { mode: 0o755 });
    await getSecret(path.join(dataDir, 'secrets', 'key'), () => 'abc', 'bad_key');
    expect(await listModes('secrets', 'secrets/key')).toEqual(['700', '600']);
  },
);

it('stores are too, with the files that SQLite adds', async () => {
  const schema = { name: 'test', holds: 'tests', migrations: [], postgresLock: 0 };
  const database = await openSqlite(path.join(dataDir, 'watches', 'watches.sqlite'), schema);
  await database.query('create table t (a integer)');
  const names = ['watches', 'watches/watches.sqlite', 'watches/watches.sqlite-wal', 'watches/watches.sqlite-shm'];
  expect(await listModes(...names)).toEqual(['700', '600', '600', '600']);
  await database.close();
});
