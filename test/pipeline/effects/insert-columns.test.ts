import { expect, it, onTestFinished } from 'vitest';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';

it.each([0, 1, 2048, 2049, 10_000])('inserts %i rows unchanged', async (count) => {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  await db.run('create table rows (number uinteger, name varchar, twice uinteger)');
  const numbers = Uint32Array.from({ length: count }, (_, i) => i);
  const names = Array.from(numbers, (i) => `Straße "${i}"`);
  await db.insertColumns('rows', [numbers, names, numbers.map((i) => 0xffff_ffff - i)]);
  const [totals] = await db.query(`
    select count(*)::int as rows, count(*) filter (name = 'Straße "' || number || '"')::int as named,
      count(*) filter (twice = 4294967295 - number)::int as counted, count(distinct number)::int as numbers
    from rows`);
  expect(totals).toEqual({ rows: count, named: count, counted: count, numbers: count });
});
