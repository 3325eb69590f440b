import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { describeDataFile } from '../../../../pipeline/scale-out/iceberg/data-file.ts';
import { evolveSchema, type LakeColumns } from '../../../../pipeline/scale-out/iceberg/schema.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';

let db: Duckdb;
beforeAll(async () => {
  db = await openDuckdb({ threads: 1 });
});
afterAll(() => db.close());

/** Describes a file with the rows of a select, in a table with one more column. */
async function describeRows(select: string, types: Readonly<Record<string, string>>, options = '') {
  const file = path.join(await temporaryFolder(), 'part-0.parquet');
  await db.run(`copy (${select}) to ${sqlText(file)} (format parquet, compression zstd ${options})`);
  const columns: LakeColumns = Object.fromEntries(
    ['source', ...Object.keys(types)].map((name) => [name, [types[name] ?? 'VARCHAR', 'Words.']]),
  );
  return describeDataFile(file, evolveSchema(columns, { schemas: [], lastColumnId: 0 }).schema);
}

/** Bounds of the first column, in hexadecimal digits. */
async function boundsOf(values: string, type: string) {
  const facts = await describeRows(`select v::${type} as v from (values ${values}) as rows(v)`, { v: type });
  return [facts.lowerBounds.get(2)?.toString('hex') ?? null, facts.upperBounds.get(2)?.toString('hex') ?? null];
}

describe('bounds of a column', () => {
  it.each([
    ['BOOLEAN', '(true), (false)', ['00', '01']],
    ['SMALLINT', '(-2), (3)', ['feffffff', '03000000']],
    ['USMALLINT', '(0), (65535)', ['00000000', 'ffff0000']],
    ['UINTEGER', '(7), (2147483647)', ['07000000', 'ffffff7f']],
    ['BIGINT', '(-1), (9223372036854775807)', ['ffffffffffffffff', 'ffffffffffffff7f']],
    ['DATE', "('1969-12-31'), ('1970-01-02')", ['ffffffff', '01000000']],
    [
      'TIMESTAMP WITH TIME ZONE',
      "('1970-01-01 00:00:00.000001+00'), ('1970-01-01 00:00:01+00')",
      ['0100000000000000', '40420f0000000000'],
    ],
    ['FLOAT', '(1.5), (null), (-1.5)', ['0000c0bf', '0000c03f']],
    ['DOUBLE', '(1), (1)', ['000000000000f03f', '000000000000f03f']],
    ['VARCHAR', "('Ä'), ('Z'), (null)", ['5a', 'c384']],
    ['VARCHAR', '(null), (null)', [null, null]],
  ])('%s %s', async (type, values, bounds) => {
    expect(await boundsOf(values, type)).toEqual(bounds);
  });
});

it('counts rows, values and nulls over all row groups', async () => {
  const select = `select if(i % 4 = 0, null, i)::integer as n, 'x' as t from range(5000) as numbers(i)`;
  const facts = await describeRows(select, { n: 'INTEGER', t: 'VARCHAR' }, ', row_group_size 2048');
  expect([facts.rows, facts.splitOffsets.length]).toEqual([5000, 3]);
  expect(Object.fromEntries(facts.valueCounts)).toEqual({ 2: 5000, 3: 5000 });
  expect(Object.fromEntries(facts.nullCounts)).toEqual({ 2: 1250, 3: 0 });
  expect([facts.lowerBounds.get(2)!.readInt32LE(), facts.upperBounds.get(2)!.readInt32LE()]).toEqual([1, 4999]);
  expect(facts.splitOffsets).toEqual([...facts.splitOffsets].sort((a, b) => a - b));
  expect(facts.splitOffsets[0]).toBe(4);
});

it('reports only the size of parts of lists', async () => {
  const type = 'STRUCT(dow UTINYINT, events UINTEGER)[]';
  const facts = await describeRows(`select [{dow: 1, events: 2}]::${type} as hours, 3 as n`, {
    hours: type,
    n: 'INTEGER',
  });
  expect([...facts.columnBytes.keys()].sort()).toEqual([3, 5, 6]);
  expect([...facts.valueCounts.keys()]).toEqual([3]);
});

it('accepts narrower types, and columns that the table or the file lacks', async () => {
  const facts = await describeRows('select 1::integer as a, 2::float as b, 3 as other', { a: 'BIGINT', b: 'DOUBLE' });
  expect([facts.lowerBounds.get(2)!.length, facts.lowerBounds.get(3)!.readDoubleLE()]).toEqual([8, 2]);
});

it.each([
  ['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', "'2026-01-15'"],
  ['UBIGINT', 'BIGINT', '1'],
  ['BIGINT', 'INTEGER', '1'],
  ['VARCHAR', 'DATE', "'2026-01-15'"],
  ['UINTEGER', 'UINTEGER', '2147483648'],
])('rejects %s where the table has %s', async (type, expected, value) => {
  const described = describeRows(`select ${value}::${type} as v`, { v: expected });
  await expect(described).rejects.toMatchObject({
    code: 'file_unfit',
    message: expect.stringMatching(/: v (is|has) /),
  });
});
