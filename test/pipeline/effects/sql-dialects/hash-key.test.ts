import { expect, it } from 'vitest';
import { openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { expandSql } from '../../../../pipeline/effects/sql-dialects/expand-sql.ts';

/** Ids as in Austrian feeds, from the 16th letter on of many lengths; 40,000 of each kind. */
const texts = [
  `format('n1:4{:02d}.T0.26-{}-j26-1.{}.R', i % 20, 100 + i // 200, i // 20 % 10)`,
  `format('at:49:{}:0:{}', 1000 + i // 4, i % 4)`,
  `format('{:08d}-0000-4000-8000-{:012d}', i, i * 7)`,
  `repeat('Wien Hauptbahnhof ', 1 + i % 5) || i`,
];

it.each(texts)('keys of %s differ if the texts differ', async (text) => {
  const db = await openDuckdb({ threads: 1, memoryLimit: '500MB' });
  try {
    const [row] = await db.query(`
      select count(distinct (id, position))::double as rows,
        count(distinct ${expandSql(`@hash_key('national', id, position)`, 'duckdb')})::double as keys
      from (select ${text} as id, i % 30 as position from range(40000) as numbers(i))`);
    expect(row!.rows).toBeGreaterThan(20_000);
    expect(row!.keys).toBe(row!.rows);
  } finally {
    db.close();
  }
});
