import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { type TextTable, writeTextTable } from '../../../pipeline/timetable/feed/text-tables.ts';
import { unpackFeed } from '../../../pipeline/timetable/feed/unpack-feed.ts';
import { testSettings } from './ingest.ts';
import { type FeedFiles, writeFeedZip } from './text-feed.ts';

/** Unpacks a feed and converts each of its tables to Parquet, as the ingest does. */
export async function readTextTables(db: Duckdb, files: FeedFiles, folder: string): Promise<TextTable[]> {
  await mkdir(folder, { recursive: true });
  const zip = path.join(folder, 'feed.zip');
  await writeFeedZip(files, zip);
  const texts: TextTable[] = [];
  for (const unpacked of (await unpackFeed(zip, folder, testSettings)).tables) {
    const text = await writeTextTable(db, unpacked, folder, "kv_metadata {source: 'test'}");
    if (text) texts.push(text);
  }
  return texts;
}

/** One file as stored in the lake: column names, rows as lists of texts, and the unreadable lines. */
export async function readAsText(
  db: Duckdb,
  content: string | Uint8Array,
  folder: string,
): Promise<{ columns: readonly string[]; rows: (string | null)[][]; unreadable: string[] } | null> {
  const [text] = await readTextTables(db, new Map([['levels.txt', content]]), folder);
  if (!text) return null;
  const rows = await db.query(`select * from read_parquet(${sqlText(text.parquetFile)})`);
  return {
    columns: text.columns,
    rows: rows.map((row) => text.columns.map((name) => (row[name] as string | null) ?? null)),
    unreadable: text.unreadable.map(({ line, code }) => `line ${line}: ${code}`),
  };
}
