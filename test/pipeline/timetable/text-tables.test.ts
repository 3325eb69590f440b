import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { createTextView, writeTextTable } from '../../../pipeline/timetable/feed/text-tables.ts';
import { readAsText, readTextTables } from '../../support/worlds/text-table.ts';

let db: Duckdb;
let folder: string;
let cases = 0;

beforeAll(async () => {
  db = await openDuckdb({ threads: 2 });
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-text-'));
});
afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

const read = (content: string | Uint8Array) => readAsText(db, content, path.join(folder, `case-${cases++}`));

type Row = readonly (string | null)[];

describe('reads every dialect of CSV that publishers write', () => {
  const plain: readonly Row[] = [
    ['1', '2'],
    ['3', '4'],
  ];
  const dialects: readonly [title: string, content: string, columns: readonly string[], rows: readonly Row[]][] = [
    ['plain', 'a,b\n1,2\n3,4\n', ['a', 'b'], plain],
    ['no line end at the end', 'a,b\n1,2\n3,4', ['a', 'b'], plain],
    ['a byte order mark', '\uFEFFa,b\n1,2\n3,4\n', ['a', 'b'], plain],
    ['a byte order mark before a quote', '\uFEFF"a","b"\n1,2\n3,4\n', ['a', 'b'], plain],
    ['CRLF', 'a,b\r\n1,2\r\n3,4\r\n', ['a', 'b'], plain],
    ['a byte order mark and CRLF', '\uFEFFa,b\r\n1,2\r\n3,4\r\n', ['a', 'b'], plain],
    ['lone CR', 'a,b\r1,2\r3,4', ['a', 'b'], plain],
    ['line ends of all kinds in one file', 'a,b\r\n1,2\n3,4\r', ['a', 'b'], plain],
    ['blank lines in between and at the end', 'a,b\n1,2\n\n3,4\n\n\n', ['a', 'b'], plain],
    ['blank lines beside quotes', 'a,b\n"1",2\n\n3,"4"\n\n', ['a', 'b'], plain],
    ['blank lines before the header', '\n \r\na,b\n1,2\n3,4\n', ['a', 'b'], plain],
    ['a comma at the end of rows', 'a,b\n1,2,\n3,4,\n', ['a', 'b'], plain],
    [
      'quoted line ends',
      'a,b\n"x\ny",2\n"p\r\nq",3\n',
      ['a', 'b'],
      [
        ['x\ny', '2'],
        ['p\nq', '3'],
      ],
    ],
    ['doubled quotes', 'a,b\n"say ""hi"", he",2\n', ['a', 'b'], [['say "hi", he', '2']]],
    ['a quote inside an unquoted value', 'a,b\nx"y,2\n', ['a', 'b'], [['x"y', '2']]],
    ['values keep their spaces', 'a,b\n 1 ,2\t\n', ['a', 'b'], [[' 1 ', '2\t']]],
    [
      'short rows',
      'a,b,c\n1\n1,2\n1,2,3\n',
      ['a', 'b', 'c'],
      [
        ['1', null, null],
        ['1', '2', null],
        ['1', '2', '3'],
      ],
    ],
    [
      'short rows with quotes',
      'a,b,c\n"1"\n1,"2"\n',
      ['a', 'b', 'c'],
      [
        ['1', null, null],
        ['1', '2', null],
      ],
    ],
    ['a NUL byte', 'a,b\nx\u0000y,2\n', ['a', 'b'], [['x\u0000y', '2']]],
    ['a single column', 'a\n1\n\n2\n', ['a'], [['1'], ['2']]],
    ['padded headers', ' a ,\tb\n1,2\n3,4\n', ['a', 'b'], plain],
    ['blank headers', 'a,,b,\n1,2,3,4\n', ['a', 'column_2', 'b', 'column_4'], [['1', '2', '3', '4']]],
    ['repeated headers, whatever their case', 'a,A,a\n1,2,3\n', ['a', 'A_2', 'a_3'], [['1', '2', '3']]],
    ['quoted headers', '"a ""q""","b,c"\n1,2\n3,4\n', ['a "q"', 'b,c'], plain],
    ['a header that spans lines', '"a\nb",c\n1,2\n3,4\n', ['a\nb', 'c'], plain],
    ['a stray quote in a header', 'a,b"c\n1,2\n3,4\n', ['a', 'b"c'], plain],
    ['a column named like an internal one', '__surplus,b\n1,2\n3,4\n', ['__surplus_2', 'b'], plain],
    ['only a header', 'a,b\n', ['a', 'b'], []],
    ['only a header, without line end', 'a,b', ['a', 'b'], []],
  ];
  it.each(dialects)('%s', async (_title, content, columns, rows) => {
    expect(await read(content)).toEqual({ columns, rows, unreadable: [] });
  });

  it.each([
    ['no byte', ''],
    ['only a byte order mark', '\uFEFF'],
    ['only blank lines', '\n \r\n\r'],
  ])('is not a table: %s', async (_title, content) => {
    expect(await read(content)).toBeNull();
  });
});

describe('drops and counts lines that are not rows', () => {
  const broken: readonly [title: string, content: string | Uint8Array, rows: readonly Row[], unreadable: string[]][] = [
    [
      'more values than the header has, beyond one',
      'a,b\n1,2,3,4\n5,6\n7,8,9,0\n',
      [['5', '6']],
      ['line 2: unreadable_too_many_columns', 'line 4: unreadable_too_many_columns'],
    ],
    ['an unterminated quote', 'a,b\n1,2\n"x,3\n4,5\n', [['1', '2']], ['line 3: unreadable_unquoted_value']],
    ['an unterminated quote, on the last line', 'a,b\n1,2\n"x,3', [['1', '2']], ['line 3: unreadable_unquoted_value']],
    [
      'an unterminated quote, while others span lines',
      'a,b\n1,2\n"x\ny",2\n"x,3\n4,5\n',
      [
        ['1', '2'],
        ['x\ny', '2'],
      ],
      ['line 5: unreadable_unquoted_value'],
    ],
    ['text after a quote', 'a,b\n"x"y,2\n3,4\n', [['3', '4']], ['line 2: unreadable_unquoted_value']],
    [
      'damaged UTF-8',
      Buffer.concat([Buffer.from('a,b\n1,Tür\n2,M'), Buffer.from([0xfc]), Buffer.from('nchen\n3,Graz\n')]),
      [
        ['1', 'Tür'],
        ['3', 'Graz'],
      ],
      ['line 3: unreadable_invalid_encoding'],
    ],
    [
      'damaged UTF-8 beside quotes',
      Buffer.concat([Buffer.from('a,b\n"1",Tür\n2,"M'), Buffer.from([0xfc]), Buffer.from('nchen"\n3,Graz\n')]),
      [
        ['1', 'Tür'],
        ['3', 'Graz'],
      ],
      ['line 3: unreadable_invalid_encoding'],
    ],
  ];
  it.each(broken)('%s', async (_title, content, rows, unreadable) => {
    expect(await read(content)).toMatchObject({ rows, unreadable });
  });

  it('drops a line that exceeds the limit', async () => {
    const file = path.join(folder, 'long.txt');
    await writeFile(file, `a,b\n${'x'.repeat(2_000_001)},2\n3,4\n`);
    const quotes = { spanLines: false, openAt: null };
    const text = await writeTextTable(
      db,
      { table: 'levels', file, bytes: 2_000_011, quotes },
      folder,
      "kv_metadata {source: 'test'}",
    );
    expect(text).toMatchObject({ rowsRead: 1, unreadable: [{ line: 2, code: 'unreadable_line_size_over_maximum' }] });
  });
});

it('reads multi-line values and short rows across reader buffers', async () => {
  // More than DuckDB's 32 MB, so that rows cross the end of a buffer.
  const rowCount = 200_000;
  const filler = 'x'.repeat(160);
  const rows = Array.from({ length: rowCount }, (_, i) => `"${i}\n${filler}",y\n`);
  const file = path.join(folder, 'big.txt');
  await writeFile(file, `a,b,c\n${rows.join('')}`);
  const quotes = { spanLines: true, openAt: null };
  const text = await writeTextTable(
    db,
    { table: 'levels', file, bytes: 0, quotes },
    folder,
    "kv_metadata {source: 'test'}",
  );
  expect(text).toMatchObject({ rowsRead: rowCount, unreadable: [] });
  const [found] = await db.query(`
    select count(distinct a)::int as ids, min(length(a))::int as shortest, count(b)::int as b, count(c)::int as c
    from read_parquet(${sqlText(text!.parquetFile)})`);
  expect(found).toEqual({ ids: rowCount, shortest: filler.length + 2, b: rowCount, c: 0 });
});

describe('the staging view', () => {
  const view = async (content: string, table: 'stops' | 'feed_info' = 'feed_info') => {
    const [text] = await readTextTables(db, new Map([[`${table}.txt`, content]]), path.join(folder, `view-${cases++}`));
    await createTextView(db, table, text ?? null);
    return db.query(`select * from text_${table} order by row_number`);
  };
  const blank = {
    feed_publisher_name: null,
    feed_lang: null,
    feed_start_date: null,
    feed_end_date: null,
    feed_version: null,
    surplus: null,
  };

  it('contains columns whose names are partition keys of the lake', async () => {
    const content = new Map([['feed_info.txt', 'source,Feed_Version\nme,v1\n']]);
    const [text] = await readTextTables(db, content, path.join(folder, `view-${cases++}`));
    expect(text!.columns).toEqual(['published_source', 'published_Feed_Version']);
    await createTextView(db, 'feed_info', text!);
    expect(await db.query('select feed_version from text_feed_info')).toEqual([{ feed_version: 'v1' }]);
  });

  it('trims values, with blank ones as null', async () => {
    expect(await view('feed_lang,feed_version,feed_publisher_name\n de ,\u00a0v1\t,  \n')).toEqual([
      { ...blank, feed_lang: 'de', feed_version: 'v1', row_number: 1n },
    ]);
  });

  it('finds columns regardless of case and order, and leaves unknown ones in the lake', async () => {
    expect(await view('colour,FEED_VERSION,Feed_Lang\nred,v1,de\n')).toEqual([
      { ...blank, feed_version: 'v1', feed_lang: 'de', row_number: 1n },
    ]);
  });

  it('reports values beyond the last column', async () => {
    expect(await view('feed_lang\nde,what\nen, \n')).toEqual([
      { ...blank, feed_lang: 'de', surplus: 'what', row_number: 1n },
      { ...blank, feed_lang: 'en', row_number: 2n },
    ]);
  });

  it('is empty for a table that the feed lacks', async () => {
    expect(await view('', 'stops')).toEqual([]);
  });
});
