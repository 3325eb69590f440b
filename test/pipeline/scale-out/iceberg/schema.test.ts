import { describe, expect, it } from 'vitest';
import { parseColumnType } from '../../../../pipeline/scale-out/iceberg/column-type.ts';
import type { IcebergSchema } from '../../../../pipeline/scale-out/iceberg/iceberg-types.ts';
import { evolveSchema, type LakeColumns, listLeaves, mapNames } from '../../../../pipeline/scale-out/iceberg/schema.ts';

const words = 'Words.';

/** The schemas of a table with these columns in turn. */
function evolve(...states: readonly Readonly<Record<string, string>>[]) {
  let schemas: readonly IcebergSchema[] = [];
  let lastColumnId = 0;
  const current: IcebergSchema[] = [];
  for (const state of states) {
    const columns: LakeColumns = Object.fromEntries(
      Object.entries(state).map(([name, type]) => [name, [type, words] as const]),
    );
    const next = evolveSchema(columns, { schemas, lastColumnId });
    lastColumnId = next.lastColumnId;
    current.push(next.schema);
    if (!schemas.some((schema) => schema['schema-id'] === next.schema['schema-id']))
      schemas = [...schemas, next.schema];
  }
  return { current, lastColumnId };
}

const idsOf = (schema: IcebergSchema) =>
  Object.fromEntries([...listLeaves(schema)].map(([path, { id, type }]) => [path, `${id} ${type}`]));

describe('types of the lake', () => {
  it.each([
    ['USMALLINT', 'int'],
    ['UINTEGER', 'int'],
    ['timestamp with time zone', 'timestamptz'],
    ['VARCHAR[]', { element: 'string' }],
    [
      'STRUCT(delay_minutes SMALLINT, events UINTEGER)[]',
      { element: { fields: { delay_minutes: 'int', events: 'int' } } },
    ],
    [
      'STRUCT(dow UTINYINT, "the ""hour"", (local)" UTINYINT)',
      { fields: { dow: 'int', 'the "hour", (local)': 'int' } },
    ],
    ['STRUCT(a STRUCT(b DATE, c DOUBLE[]))', { fields: { a: { fields: { b: 'date', c: { element: 'double' } } } } }],
  ])('%s', (text, type) => {
    expect(parseColumnType(text)).toEqual(type);
  });

  it.each(['UBIGINT', 'HUGEINT', 'MAP(VARCHAR, INTEGER)', ''])('rejects %j', (text) => {
    expect(() => parseColumnType(text)).toThrow(RangeError);
  });
});

describe('ids of columns', () => {
  it('are assigned in order, to parts after the columns', () => {
    const { current, lastColumnId } = evolve({
      day: 'DATE',
      hours: 'STRUCT(dow UTINYINT, events UINTEGER)[]',
      n: 'BIGINT',
    });
    expect(idsOf(current[0]!)).toEqual({
      day: '1 date',
      'hours.element.dow': '5 int',
      'hours.element.events': '6 int',
      n: '3 long',
    });
    expect(lastColumnId).toBe(6);
  });

  it('remain when others are added, removed and moved', () => {
    const { current } = evolve(
      { a: 'DATE', b: 'INTEGER' },
      { c: 'VARCHAR', b: 'INTEGER' },
      { b: 'INTEGER', a: 'DATE' },
    );
    expect(current.map(idsOf)).toEqual([
      { a: '1 date', b: '2 int' },
      { c: '3 string', b: '2 int' },
      { b: '2 int', a: '1 date' },
    ]);
    expect(current.map((schema) => schema['schema-id'])).toEqual([0, 1, 2]);
  });

  it('remain for a wider type, and are new for another one', () => {
    const { current } = evolve({ a: 'INTEGER' }, { a: 'BIGINT' }, { a: 'VARCHAR' }, { a: 'VARCHAR' });
    expect(current.map(idsOf)).toEqual([{ a: '1 int' }, { a: '1 long' }, { a: '2 string' }, { a: '2 string' }]);
    expect(current.map((schema) => schema['schema-id'])).toEqual([0, 1, 2, 2]);
  });

  it('are mapped from names, through lists', () => {
    const { current } = evolve({ day: 'DATE', hours: 'STRUCT(dow UTINYINT)[]' });
    expect(JSON.parse(mapNames(current[0]!))).toEqual([
      { 'field-id': 1, names: ['day'] },
      {
        'field-id': 2,
        names: ['hours'],
        fields: [{ 'field-id': 3, names: ['element'], fields: [{ 'field-id': 4, names: ['dow'] }] }],
      },
    ]);
  });

  it('are mapped from names of dropped columns and parts, too; current ones come first', () => {
    const { current } = evolve(
      { gone: 'DATE', hours: 'STRUCT(dow UTINYINT, events UINTEGER)[]', a: 'INTEGER' },
      { hours: 'STRUCT(dow UTINYINT)[]', a: 'VARCHAR' },
    );
    expect(JSON.parse(mapNames(current[1]!, current))).toEqual([
      {
        'field-id': 2,
        names: ['hours'],
        fields: [
          {
            'field-id': 4,
            names: ['element'],
            fields: [
              { 'field-id': 5, names: ['dow'] },
              { 'field-id': 6, names: ['events'] },
            ],
          },
        ],
      },
      { 'field-id': 7, names: ['a'] },
      { 'field-id': 1, names: ['gone'] },
    ]);
  });
});
