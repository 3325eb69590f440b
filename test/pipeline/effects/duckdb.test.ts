import { expect, it, onTestFinished } from 'vitest';
import { openDuckdb, withOneThread } from '../../../pipeline/effects/duckdb.ts';

async function openEngine() {
  const db = await openDuckdb({ threads: 3 });
  onTestFinished(() => db.close());
  const countThreads = async () => (await db.query("select current_setting('threads')::int as n"))[0]!.n;
  return { db, countThreads };
}

it('runs a task on one thread, and the next statements on all', async () => {
  const { db, countThreads } = await openEngine();
  expect(await withOneThread(db, countThreads)).toBe(1);
  expect(await countThreads()).toBe(3);
});

it('uses all threads again after a failed task', async () => {
  const { db, countThreads } = await openEngine();
  await expect(withOneThread(db, () => db.run('select no_such_column'))).rejects.toThrow('no_such_column');
  expect(await countThreads()).toBe(3);
});

it('runs statements on a second connection, which has the views of the first but not its temporary tables', async () => {
  const { db } = await openEngine();
  const beside = await db.openBeside();
  await db.run("create temp table own as select 1 as n; create view shared as select 'seen' as word");
  const [own, seen] = await Promise.all([db.query('from own'), beside.query('from shared')]);
  expect([own, seen]).toEqual([[{ n: 1 }], [{ word: 'seen' }]]);
  await expect(beside.run('from own')).rejects.toThrow('own');
  beside.close();
  expect(await db.query('from own')).toEqual([{ n: 1 }]);
});
