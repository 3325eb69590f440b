import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openReadOnlyDuckdb } from '../../../pipeline/effects/read-only-duckdb.ts';
import { listLakeViews } from '../../../pipeline/guide/lake-views.ts';
import { gtfsTables, isGtfsTable } from '../../../pipeline/timetable/feed/gtfs-tables.ts';
import { ingestFeeds, soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';
import { stageFeed } from '../../support/worlds/stage-feed.ts';
import { type FeedFiles, withFiles } from '../../support/worlds/text-feed.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', 'pipeline', 'timetable', 'feed');

/** Positions at which staging could confuse a published name with its own. */
async function readStaging(): Promise<string> {
  const names = await readdir(path.join(ROOT, 'sql'), { recursive: true });
  const sql = names.filter((name) => name.endsWith('.sql')).map((name) => path.join('sql', name));
  const files = [...sql, 'text-tables.ts', 'typed-tables.ts', 'ingest-feed.ts', 'lake-columns.ts'];
  return (await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')))).join('\n');
}

/** Columns that DuckDB adds to the rows of a file by itself, or on request. */
const DUCKDB_NAMES = ['filename', 'rowid', 'file_row_number', 'file_index', 'hive_partitioning'];

/**
 * Every word of staging, including every table, column, alias, window and keyword, and names that no SQL would contain.
 */
async function listNames(): Promise<string[]> {
  const words = new Set((await readStaging()).match(/[A-Za-z_]\w*/g)!.map((word) => word.toLowerCase()));
  const odd = [
    '"',
    "'",
    '"x" as y',
    '; drop table stops',
    '{}',
    '*',
    '--',
    '/*',
    '$1',
    '',
    ' ',
    'ä',
    '\0',
    'a\0b',
    '1',
  ];
  return [...words, ...DUCKDB_NAMES, ...odd];
}

/** The feed with further columns after those of each table, every other one in capitals. */
function withColumns(feed: FeedFiles, names: readonly string[]): FeedFiles {
  const changed = [...feed].map(([file, content], fileNumber) => {
    const table = file.replace('.txt', '');
    if (!isGtfsTable(table)) throw new Error(`${file} is no table`);
    const known: readonly string[] = gtfsTables[table];
    const further = names.filter((name) => !known.includes(name));
    const [header, ...rows] = (content as string).trimEnd().split('\n');
    const title = (name: string, i: number) => ((i + fileNumber) % 2 === 0 ? name : name.toUpperCase());
    const titles = further.map((name, i) => `"${title(name, i).replaceAll('"', '""')}"`).join(',');
    const values = further.map((_, i) => `v${i}`).join(',');
    return [file, [`${header},${titles}`, ...rows.map((row) => `${row},${values}`), ''].join('\n')] as const;
  });
  return withFiles(feed, Object.fromEntries(changed));
}

const TYPED = ['agencies', 'stops', 'routes', 'services', 'service_dates', 'trips', 'calls', 'transfers', 'feed_info'];

async function stageAndRead(feed: FeedFiles): Promise<unknown> {
  const { db, report, refused } = await stageFeed(feed);
  const tables = [];
  for (const table of TYPED) tables.push(await db.query(`select * from ${table} order by all`));
  return { report, refused, tables };
}

/** Names at once: each column takes its share of DuckDB's memory, whatever the number of rows. */
const BATCH = 450;

it('never reads a published column as a staging column of the same name', async () => {
  const names = await listNames();
  expect(names.length).toBeGreaterThan(500);
  const plain = await stageAndRead(soundFeed);
  for (let from = 0; from < names.length; from += BATCH) {
    const batch = names.slice(from, from + BATCH);
    expect(await stageAndRead(withColumns(soundFeed, batch)), `${batch[0]} to ${batch.at(-1)}`).toEqual(plain);
  }
});

it('prefixes a published column whose name is reserved', async () => {
  const dataDir = await temporaryFolder();
  const levels = 'level_id,FILE_ROW_NUMBER,Source,__SURPLUS,published_source,feed_version\nl,1,2,3,4,5\n';
  await ingestFeeds({ test: withFiles(soundFeed, { 'levels.txt': levels }) }, { dataDir });
  const db = await openReadOnlyDuckdb({ folders: [dataDir], views: await listLakeViews(dataDir) });
  try {
    await db.query(
      'select * exclude (source, feed_version, "__surplus") from gtfs.levels',
      async ({ columns, batches }) => {
        const rows: unknown[][] = [];
        for await (const batch of batches) rows.push(...batch.map((row) => [...row]));
        expect(columns.map(({ name }, i) => `${name} = ${rows[0]![i]}`)).toEqual([
          'level_id = l',
          'published_FILE_ROW_NUMBER = 1',
          'published_Source = 2',
          '__SURPLUS_2 = 3',
          'published_source_2 = 4',
          'published_feed_version = 5',
        ]);
      },
    );
  } finally {
    db.close();
  }
});

it('reads the first of two columns with one name, even with staging columns between them', async () => {
  const info = 'feed_publisher_name,published_feed_version,Feed_Version,feed_version\nWir,wrong,right,late\n';
  const { outcome, timetable } = await ingestFeeds({ test: withFiles(soundFeed, { 'feed_info.txt': info }) });
  expect(outcome.feeds[0]!.failure).toBeUndefined();
  expect((await timetable()).snapshot.manifest.sources[0]!.publishedVersion).toBe('right');
});
