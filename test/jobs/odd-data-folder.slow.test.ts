import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it, onTestFinished } from 'vitest';
import { fixedClock } from '../../pipeline/effects/clock.ts';
import { globPath, sqlText } from '../../pipeline/effects/duckdb.ts';
import { withEngine } from '../../pipeline/lake/observations/write-parts.ts';
import { lakeFolder } from '../../pipeline/lake/paths.ts';
import { type EpochDay, type Instant, parseTimestamp, type ServiceDate } from '../../pipeline/model/service-time.ts';
import { learnSource } from '../../pipeline/predictions/learning/learn-source.ts';
import { storePredictions } from '../../pipeline/predictions/live/prediction-store.ts';
import { openHistories } from '../support/worlds/history-world.ts';
import { ingestFeeds, soundFeed } from '../support/worlds/ingest.ts';
import { plainMapping } from '../support/worlds/plain-archive.ts';
import { POLLED_DAY, pollDay } from '../support/worlds/polled-day.ts';
import { dateOf, ENGINE, RECORDED, recordRuns } from '../support/worlds/recorded-world.ts';
import { FIRST_DAY, makeDatedTripTable } from '../support/worlds/run-world.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

/** Every character with a meaning in DuckDB or SQL. */
const ODD = `we[i]rd *?{a,b} 'q"`;
/** A name that the odd name would match as a pattern. */
const SIBLING = `weird xy{a,b} 'q"`;

const CONFIG = `
sources:
  - { id: city, gtfs: ../feeds/city.zip }
realtime:
  - { id: live, kind: gtfs-rt, timetable: city, tripUpdates: 'https://live.example.org' }
`;
const archive = (date: string) =>
  `day,trip,stop,seq,time,late\n${date},t,A,0,${date} 08:00:00,10\n${date},t,B,1,${date} 08:10:00,20\n`;

const LAST_DAY = FIRST_DAY + 8;
const AFTER = '2026-03-04T13:45:00Z';

/**
 * Everything that works on Parquet, in one data folder; the output of each step, without names of folders and times.
 */
async function liveThrough(dataDir: string): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  const run = async (argv: readonly string[], { now = AFTER, cwd = dataDir } = {}) => {
    const setting = { dataDir, cwd, effects: fakeEffects(now), parts: { learn: learnSource } };
    const { code, stdout, stderr } = await runCommand(
      [...argv, '--config', path.join(dataDir, 'taktgeber.yaml')],
      setting,
    );
    const name = argv.join(' ').replaceAll(dataDir, '…');
    expect(code, `${name}: ${stderr}`).toBe(0);
    const timeless = stdout.replaceAll(dataDir, '…').replaceAll(/ \([\d.]+ s\)/g, '');
    results[name] = timeless.replaceAll(/-[0-9a-f]{8}(?=-\d{10}\.parquet)/g, '');
    return stdout;
  };

  const { outcome } = await ingestFeeds({ city: soundFeed }, { dataDir, now: `${POLLED_DAY}T06:00:00Z` });
  results.ingest = outcome.feeds;
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIG);
  await pollDay({ dataDir, date: POLLED_DAY as ServiceDate });
  await run(['run', 'compact-observations']);
  await run(['run', 'finalise-stop-events']);

  const archives = path.join(dataDir, 'archives');
  await mkdir(archives);
  await writeFile(path.join(archives, 'own.sql'), plainMapping);
  for (const date of ['2025-03-01', '2025-03-02']) await writeFile(path.join(archives, `${date}.csv`), archive(date));
  await run(['run', 'import-history', '--file', '2025-*-01.csv', '--mapping', './own.sql'], { cwd: archives });
  // Its trip of the previous day is added to the others.
  const second = path.join(archives, '2025-03-02.csv');
  await writeFile(second, `${archive('2025-03-02')}2025-03-01,u,A,0,2025-03-01 09:00:00,0\n`);
  await run(['run', 'import-history', '--file', second, '--mapping', './own.sql'], { cwd: archives });

  const learnedAt = { now: `${dateOf(LAST_DAY + 1)}T05:00:00Z` };
  await recordRuns(dataDir, makeDatedTripTable(71, { days: 9, trains: 16, calls: 9 }), LAST_DAY);
  await run(['run', 'build-features'], learnedAt);
  await withEngine(dataDir, ENGINE, (db, folder) => storePredictions(db, dataDir, folder, RECORDED, [prediction]));
  await run(['run', 'evaluate-predictions'], learnedAt);
  await run(['run', 'build-marts']);
  await run(['run', 'check-data']);

  const counts = ['stop_events', 'observations', 'predictions', 'gtfs.stops', 'timetable.calls'];
  await run([
    'sql',
    '--csv',
    counts.map((table) => `select count(*) as n, '${table}' as name from ${table}`).join(' union all '),
  ]);
  await run(['sql', '--csv', 'select * from marts.line_daily order by all']);
  await run(['export', '--table', 'stop_events', '--out', path.join(dataDir, 'out.csv'), '--format', 'csv']);
  results.exported = (await readFile(path.join(dataDir, 'out.csv'), 'utf8')).split('\n').sort();
  await run(['explain', 't1', '--date', POLLED_DAY]);
  results.history = await queryHistory(dataDir);
  results.catalog = await queryCatalog(dataDir);
  return results;
}

const madeAt = parseTimestamp(`${dateOf(LAST_DAY)}T10:00:00Z`) as Instant;
const prediction = {
  day: LAST_DAY as EpochDay,
  tripId: 't1',
  madeAt,
  model: 'm',
  fromPosition: 0,
  observedAt: madeAt,
  isFromPosition: false,
  delaySeconds: 30,
  position: 1,
  low: 0,
  median: 20,
  high: 60,
  priors: [1, 2, 3, 4, 5, 6] as const,
};

async function queryHistory(dataDir: string): Promise<unknown> {
  const holder = await openHistories(dataDir, fixedClock(AFTER));
  const question = {
    period: { from: POLLED_DAY, to: POLLED_DAY },
    source: '*',
    line: null,
    operator: null,
    stops: null,
  } as never;
  return holder.current()!.value.answer(question, () => {});
}

/** The views of the catalog, as seen by an analyst who has named the lake. */
async function queryCatalog(dataDir: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await connection.run(`set variable lake = ${sqlText(lakeFolder(dataDir))}`);
  await connection.run(await readFile(path.join(lakeFolder(dataDir), 'catalog.sql'), 'utf8'));
  const counts: Record<string, unknown> = {};
  for (const view of [
    'stop_events',
    'observations',
    'predictions',
    'counted_calls',
    'marts.line_daily',
    'timetable.stops',
  ]) {
    counts[view] = (await connection.runAndReadAll(`select count(*)::int from ${view}`)).getRows()[0]![0];
  }
  return counts;
}

/** The same files under the same names, all unreadable. */
async function breakCopy(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(parquet|csv)$/.test(entry.name))
      await writeFile(path.join(entry.parentPath, entry.name), 'x');
  }
}

it('a data folder may have any name: it is never a pattern, and no sibling is read', async () => {
  const parent = await temporaryFolder();
  const [plain, odd, sibling] = ['plain', ODD, SIBLING].map((name) => path.join(parent, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(plain);
  const expected = await liveThrough(plain);
  await breakCopy(plain, sibling);
  await mkdir(odd);
  expect(await liveThrough(odd)).toEqual(expected);
  expect(expected.catalog).toMatchObject({ stop_events: expect.any(Number), 'timetable.stops': 3, predictions: 1 });
});

it('readers of files escape every path', async () => {
  const meant = ['read-archive.ts: await keepLiteral', 'read-only-duckdb.ts: files', 'stage-archive.ts: pattern'];
  const found: string[] = [];
  for (const room of ['pipeline', 'jobs', 'api']) {
    const folder = path.join(import.meta.dirname, '..', '..', room);
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const text = await readFile(path.join(folder, name), 'utf8');
      const readers = text.matchAll(/(?:read_parquet|read_csv|parquet_\w+|glob)\(\[?\$\{sqlText\(([\w. ]+)/g);
      for (const [, what] of readers) found.push(`${path.basename(name)}: ${what}`);
    }
  }
  expect(found.sort()).toEqual(meant);
});

it('a path with a backslash, which no pattern can name, is rejected in one sentence', () => {
  expect(() => globPath('/data/a\\b')).toThrow('the engine reads no path with a backslash, such as /data/a\\b');
});
