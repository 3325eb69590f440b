import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { publishPartition } from '../../../pipeline/lake/parquet-facts.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';

async function lake() {
  const folder = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  const work = path.join(folder, 'tmp');
  await mkdir(work);
  const table = path.join(folder, 'lake', 'stops');
  const write = async (name: string, rows: number) => {
    const file = path.join(work, `${name}.parquet`);
    await db.run(`copy (select i from range(${rows}) as r(i)) to ${sqlText(file)} (format parquet)`);
    return file;
  };
  return { db, folder, table, partition: path.join(table, 'source=a', 'feed_version=1'), write };
}

describe('publishPartition', () => {
  it('writes a table as the only file of its partition', async () => {
    const { db, partition, write } = await lake();
    const file = await write('stops', 5);
    const bytes = await readFile(file);
    await publishPartition(db, file, partition, 5);
    expect(await readdir(partition)).toEqual(['part-0.parquet']);
    expect(await readFile(path.join(partition, 'part-0.parquet'))).toEqual(bytes);
  });

  it('replaces an existing one, and leaves nothing else in the table that a reader would find', async () => {
    const { db, table, partition, write } = await lake();
    await publishPartition(db, await write('old', 5), partition, 5);
    await publishPartition(db, await write('new', 3), partition, 3);
    expect(await readdir(table, { recursive: true })).toEqual([
      'source=a',
      path.join('source=a', 'feed_version=1'),
      path.join('source=a', 'feed_version=1', 'part-0.parquet'),
    ]);
    const [count] = await db.query(`select count(*)::int as n from read_parquet(${sqlText(`${table}/**/*.parquet`)})`);
    expect(count).toEqual({ n: 3 });
  });

  it('rejects a table with other rows than were written', async () => {
    const { db, partition, write, table } = await lake();
    await expect(publishPartition(db, await write('stops', 5), partition, 6)).rejects.toMatchObject({
      code: 'partition_incomplete',
      message: 'stops.parquet has 5 rows instead of 6',
    });
    await expect(readdir(table)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
