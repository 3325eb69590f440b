import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { gtfsTables, isEssentialTable } from '../../../pipeline/timetable/feed/gtfs-tables.ts';
import type { TextTable } from '../../../pipeline/timetable/feed/text-tables.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { stageFeed } from '../../support/worlds/stage-feed.ts';
import { withFiles } from '../../support/worlds/text-feed.ts';
import { readTextTables } from '../../support/worlds/text-table.ts';

let db: Duckdb;
beforeAll(async () => {
  db = await openDuckdb({ threads: 1 });
});
afterAll(() => db.close());

async function readAlone(file: string, content: string | Uint8Array): Promise<TextTable | undefined> {
  const [text] = await readTextTables(db, new Map([[file, content]]), await temporaryFolder());
  return text;
}

const MARK = '\uFEFF';

function swapPairs(bytes: Buffer): Buffer {
  return bytes.swap16();
}

function toUtf32(text: string, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc([...text].length * 4);
  [...text].forEach((letter, i) => {
    if (isLittle) bytes.writeUInt32LE(letter.codePointAt(0)!, i * 4);
    else bytes.writeUInt32BE(letter.codePointAt(0)!, i * 4);
  });
  return bytes;
}

type Encode = (text: string) => Buffer;

/** Windows-1252 has the dash where ISO-8859-1 has a control character. */
const encodings: readonly [name: string, encode: Encode, named: string, iconvName: string][] = [
  ['UTF-16 LE', (text) => Buffer.from(text, 'utf16le'), 'UTF-16 (little endian)', 'UTF-16LE'],
  ['UTF-16 LE, marked', (text) => Buffer.from(MARK + text, 'utf16le'), 'UTF-16 (little endian)', 'UTF-16LE'],
  ['UTF-16 BE', (text) => swapPairs(Buffer.from(text, 'utf16le')), 'UTF-16 (big endian)', 'UTF-16BE'],
  ['UTF-16 BE, marked', (text) => swapPairs(Buffer.from(MARK + text, 'utf16le')), 'UTF-16 (big endian)', 'UTF-16BE'],
  ['UTF-32 LE', (text) => toUtf32(text, true), 'UTF-32 (little endian)', 'UTF-32LE'],
  ['UTF-32 LE, marked', (text) => toUtf32(MARK + text, true), 'UTF-32 (little endian)', 'UTF-32LE'],
  ['UTF-32 BE', (text) => toUtf32(text, false), 'UTF-32 (big endian)', 'UTF-32BE'],
  ['UTF-32 BE, marked', (text) => toUtf32(MARK + text, false), 'UTF-32 (big endian)', 'UTF-32BE'],
  [
    'Latin-1',
    (text) => Buffer.from(text, 'latin1'),
    'a one-byte encoding, probably ISO-8859-1 (Latin-1)',
    'ISO-8859-1',
  ],
  [
    'Windows-1252',
    (text) => Buffer.from(text.replaceAll('ß', '\x96'), 'latin1'),
    'a one-byte encoding, probably Windows-1252',
    'WINDOWS-1252',
  ],
];

const lineEnds = ['\n', '\r\n', '\r'] as const;

const stops = ['stop_id,stop_name,stop_lat,stop_lon', 'a,Mühlgaße,48,16', 'b,Berg,48,16.1', 'c,Kirche,48,16.2', ''];
const levels = ['level_id,level_index,level_name', 'a,0,Straße', 'b,-1,Tür', 'c,1,Dach', ''];

const sentence = (file: string, named: string, iconvName: string) =>
  `${file} is in ${named}, but GTFS demands UTF-8; convert it with: iconv -f ${iconvName} -t UTF-8 ${file}`;

describe('refuses a file in another encoding by name, without guessing its content', () => {
  it.each(encodings)('%s: refuses the feed, or an optional table', async (_title, encode, named, iconv) => {
    for (const end of lineEnds) {
      await expect(readAlone('stops.txt', encode(stops.join(end)))).rejects.toMatchObject({
        code: 'feed_not_utf8',
        message: sentence('stops.txt', named, iconv),
      });
      expect(await readAlone('levels.txt', encode(levels.join(end)))).toMatchObject({
        rowsRead: 0,
        unreadable: [],
        refusedLines: { count: 3, code: 'unreadable_not_utf8', detail: sentence('levels.txt', named, iconv) },
      });
    }
  });

  it.each(Object.keys(gtfsTables) as (keyof typeof gtfsTables)[])('%s', async (table) => {
    const text = `${[...gtfsTables[table], 'further'].join(',')}\nx\n`;
    const found = readAlone(`${table}.txt`, Buffer.from(text, 'utf16le'));
    if (isEssentialTable(table)) await expect(found).rejects.toMatchObject({ code: 'feed_not_utf8' });
    else expect(await found).toMatchObject({ table, refusedLines: { count: 1 } });
  });

  it('counts the lines of a refused table', async () => {
    const utf16 = Buffer.from(levels.join('\r\n'), 'utf16le');
    const { report } = await stageFeed(withFiles(soundFeed, { 'levels.txt': utf16 }));
    const line = sentence('levels.txt', 'UTF-16 (little endian)', 'UTF-16LE');
    expect(report.find(({ table }) => table === 'levels')).toMatchObject({
      rowsIn: 3,
      rowsOut: 0,
      refused: [{ code: 'unreadable_not_utf8', count: 3, samples: [2, 3, 4].map((row) => `row ${row}: ${line}`) }],
    });
  });
});

describe('refuses only the damaged rows of damaged UTF-8', () => {
  const damaged = (feed: string) => Buffer.from(feed.replaceAll('Ü', '\xdc'), 'latin1');
  const utf8 = (text: string) => Buffer.from(text).toString('latin1');
  const header = 'stop_id,stop_name,stop_lat,stop_lon\n';
  const sound = 'a,Anger,48,16\nb,Berg,48,16.1\nc,Kirche,48,16.2\n';
  const rows = Array.from({ length: 200 }, (_, i) => `x${i},Platz,48,16\n`).join('');
  it.each([
    ['beside valid letters', `${header}${sound}d,${utf8('Tür')},48,16\ne,Ü,48,16\n`, 1],
    ['in one row of two hundred', `${header}${sound}${rows}e,Ü,48,16\n`, 1],
    ['a letter cut in two at the end', `${header}${sound}d,${utf8('Tür')},48,16\ne,\xc3`, 1],
  ])('%s', async (_title, text, count) => {
    const { unreadable } = (await readAlone('stops.txt', damaged(text)))!;
    expect(unreadable.map(({ code }) => code)).toEqual(Array(count).fill('unreadable_invalid_encoding'));
  });
});

describe('a file that is not a table for other reasons', () => {
  it.each([
    ['an unterminated header', 'x'.repeat(70_000), 'levels.txt has no header within its first 65536 bytes'],
    [
      'more columns than any table has',
      `${Array.from({ length: 501 }, (_, i) => `c${i}`).join(',')}\n`,
      'levels.txt has 501 columns, more than 500',
    ],
  ])('%s', async (_title, text, detail) => {
    const { refusedLines } = (await readAlone('levels.txt', `${text}\n1,2\n`))!;
    expect(refusedLines).toMatchObject({ code: 'unreadable_broken', detail });
  });
});
