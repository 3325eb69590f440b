import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findStopsByName } from '../../api/engine/places/find-stops.ts';
import { openTimetable, type Timetable } from '../../api/engine/read/timetable.ts';
import { openDuckdb, sqlPath } from '../../pipeline/effects/duckdb.ts';
import { listNames } from '../../pipeline/effects/files.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../pipeline/snapshots/timetable-files.ts';
import { ingestFeeds, mergeNothing, temporaryFolder } from '../support/worlds/ingest.ts';
import { copyRawFeed } from '../support/worlds/raw-feed.ts';
import { realData } from '../support/worlds/real-data.ts';

/** A name or code as published, and the stations (else stops) that have it. */
interface Published {
  readonly text: string;
  readonly isCode: boolean;
  readonly stations: Set<string>;
}

/** Each with its numbers of different names and codes. */
const feeds = [
  { id: 'bydgoszcz', feed: 'gtfs/bydgoszcz.zip', names: 533, codes: 0 },
  { id: 'vilnius', feed: 'gtfs/vilnius-2018.zip', names: 648, codes: 0 },
  { id: 'milano', feed: 'gtfs/milano-small.zip', names: 302, codes: 0 },
  { id: 'vienna', feed: 'gtfs/vienna-ubahn.zip', names: 96, codes: 0 },
  { id: 'caltrain', feed: 'gtfs/caltrain.zip', names: 33, codes: 64 },
  { id: 'amtrak', feed: 'gtfs/tricky/amtrak-2021-10-06.zip', names: 648, codes: 0 },
  { id: 'cairns', feed: 'gtfs/tricky/cairns.zip', names: 398, codes: 0 },
  { id: 'dates-only', feed: 'gtfs/tricky/calendar-dates-only', names: 8, codes: 3 },
  { id: 'empty-agency', feed: 'gtfs/tricky/invalid-empty-agency-id', names: 2, codes: 0 },
  { id: 'sample', feed: 'gtfs/tricky/sample-gtfs-feed', names: 11, codes: 3 },
  { id: 'kingston', feed: 'realtime/kingston/gtfs.zip', names: 598, codes: 0 },
  { id: 'king-county', feed: 'realtime/king-county/kcm_gtfs.zip', names: 44, codes: 0 },
] as const;

/** Names that several feeds have count once. */
const all = { names: 3311, codes: 67 };

/** Reads names, codes and translations of stops from the published files, independently of the ingest. */
async function readPublished(sources: readonly (typeof feeds)[number][]): Promise<Published[]> {
  const db = await openDuckdb({ threads: 1 });
  const published = new Map<string, Published>();
  for (const { id, feed } of sources) {
    const folder = path.join(await temporaryFolder(), 'feed');
    await copyRawFeed(realData(feed), folder);
    const read = async (table: string) =>
      db.query(`from read_csv(${sqlPath(path.join(folder, `${table}.txt`))}, header = true, all_varchar = true)`);
    const stops = await read('stops');
    const parents = new Map(stops.map((row) => [row.stop_id, row.parent_station ?? null]));
    const add = (text: unknown, stop: unknown, isCode: boolean) => {
      const trimmed = String(text ?? '').trim();
      if (trimmed === '') return;
      const station = findRoot(parents, stop);
      const key = `${isCode} ${trimmed.toLowerCase()}`;
      const known = published.get(key) ?? { text: trimmed, isCode, stations: new Set() };
      known.stations.add(`${id}:${station}`);
      published.set(key, known);
    };
    for (const row of stops) {
      add(row.stop_name, row.stop_id, false);
      add(row.stop_code, row.stop_id, true);
    }
    if (!(await listNames(folder)).includes('translations.txt')) continue;
    for (const row of await read('translations')) {
      if (row.table_name === 'stops' && row.field_name === 'stop_name') add(row.translation, row.record_id, false);
    }
  }
  db.close();
  return [...published.values()];
}

function findRoot(parents: ReadonlyMap<unknown, unknown>, stop: unknown): unknown {
  let root = stop;
  for (let parent = parents.get(root); parent !== null && parent !== undefined; parent = parents.get(root))
    root = parent;
  return root;
}

async function openFeeds(sources: readonly (typeof feeds)[number][]): Promise<Timetable> {
  const dataDir = await temporaryFolder();
  const feeds = Object.fromEntries(sources.map(({ id, feed }) => [id, { location: realData(feed) }]));
  // Names that differ in punctuation alone stay apart: a merged station would be found by either.
  await ingestFeeds(feeds, { dataDir, settings: { merging: mergeNothing } });
  return openTimetable(await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!));
}

/** Published names and codes whose first result is not their stop, and what is found instead. */
function listMissed(timetable: Timetable, published: readonly Published[]): string[] {
  return published.flatMap(({ text, stations }) => {
    const found = findStopsByName(timetable, { query: text, limit: 5 });
    if (found[0] && stations.has(found[0].id)) return [];
    return [
      `${text} (${[...stations].join()}): ${found.map(({ id, name }) => `${id} ${name}`).join(', ') || 'nothing'}`,
    ];
  });
}

describe('finds the stop of every published name and code first', () => {
  it.each([
    ...feeds.map((one) => ({ ...one, name: one.id, sources: [one] })),
    { name: 'all as one timetable', sources: feeds, ...all },
  ])('$name', async ({ name, sources, ...expected }) => {
    const [published, timetable] = [await readPublished(sources), await openFeeds(sources)];
    const missed = listMissed(timetable, published);
    const codes = published.filter(({ isCode }) => isCode).length;
    process.stdout.write(`${name}: ${published.length - codes} names, ${codes} codes, not first: ${missed.length}\n`);
    expect({ names: published.length - codes, codes }).toEqual({ names: expected.names, codes: expected.codes });
    expect(missed).toEqual([]);
  });
});
