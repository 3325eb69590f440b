import { describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb } from '../../pipeline/effects/duckdb.ts';
import { assertSums, sumUpRelation } from './table-sums.ts';

const columns = { line: ['VARCHAR', ''], stop: ['VARCHAR', ''] } as const;

async function compare(db: Duckdb, found: string, wanted: string): Promise<void> {
  const relation = (values: string) => `(values ${values}) as relation (line, stop)`;
  assertSums(
    'lake.calls',
    await sumUpRelation(db, columns, relation(found)),
    await sumUpRelation(db, columns, relation(wanted)),
  );
}

describe('sums of a table', () => {
  const cases = [
    { name: 'the same rows in another order', found: `('U2', 'b'), ('U1', 'a')`, differs: null },
    { name: 'another text of the same length', found: `('U1', 'a'), ('U3', 'b')`, differs: /lake\.calls: line is/ },
    { name: 'texts of two columns swapped', found: `('U1', 'a'), ('b', 'U2')`, differs: /lake\.calls: line is/ },
    { name: 'an empty text in place of none', found: `('U1', 'a'), ('U2', '')`, differs: /lake\.calls: stop is/ },
    { name: 'a row more', found: `('U1', 'a'), ('U2', 'b'), (null, null)`, differs: /lake\.calls: 3 rows, not 2/ },
  ];
  it.each(cases)('compares $name', async ({ found, differs }) => {
    const db = await openDuckdb({ threads: 1 });
    try {
      const compared = compare(db, found, `('U1', 'a'), ('U2', 'b')`);
      await (differs === null ? compared : expect(compared).rejects.toThrow(differs));
    } finally {
      db.close();
    }
  });

  it('hashes texts like every other reader', async () => {
    const db = await openDuckdb({ threads: 1 });
    try {
      const { columns: sums } = await sumUpRelation(db, columns, `(values ('Zürich', null)) as relation (line, stop)`);
      // The first 8 hex digits of the MD5 of its UTF-8 bytes.
      expect(sums).toEqual({ line: [1, String(0x103a821a)], stop: [0, '0'] });
    } finally {
      db.close();
    }
  });
});
