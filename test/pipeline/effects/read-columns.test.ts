import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlName, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { readColumns } from '../../../pipeline/effects/read-columns.ts';

let db: Duckdb;
beforeAll(async () => {
  db = await openDuckdb({ threads: 2 });
});
afterAll(() => db.close());

it('reads results of many chunks into one array per column', async () => {
  const count = 10_000;
  const columns = await readColumns(
    db,
    {
      half: ['i32', 'i // 2'],
      share: ['f64', 'i / 4'],
      flag: ['u8', 'i % 3'],
      key: ['u64', 'i'],
      name: ['text', `'n' || i`],
    },
    `from range(${count}) as r(i)`,
    count,
  );
  const numbers = Array.from({ length: count }, (_, i) => i);
  expect(columns.half).toEqual(Int32Array.from(numbers, (i) => i >> 1));
  expect(columns.share).toEqual(Float64Array.from(numbers, (i) => i / 4));
  expect(columns.flag).toEqual(Uint8Array.from(numbers, (i) => i % 3));
  expect(columns.key).toEqual(BigUint64Array.from(numbers, BigInt));
  expect(columns.name).toEqual(numbers.map((i) => `n${i}`));
});

it('reads a missing text as an empty one', async () => {
  const { name } = await readColumns(db, { name: ['text', 'x'] }, `from (values ('a'), (null)) as v(x)`, 2);
  expect(name).toEqual(['a', '']);
});

it.each([
  [2, 'more than 2 rows came'],
  [4, '3 rows came where 4 were expected'],
])('%i rows expected: %s', async (expected, message) => {
  await expect(readColumns(db, { i: ['i32', 'i'] }, 'from range(3) as r(i)', expected)).rejects.toThrow(message);
});

it('quotes texts and names', async () => {
  const name = `a "quoted" name`;
  expect(await db.query(`select ${sqlText("it's")} as ${sqlName(name)}`)).toEqual([{ [name]: "it's" }]);
});
