import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { writeLakeGuide } from '../../../pipeline/guide/write-lake-guide.ts';
import { stopEventFile } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { compactObservations } from '../../../pipeline/lake/observations/compact-observations.ts';
import { selectObservations } from '../../../pipeline/lake/observations/former-schema.ts';
import { listObservationFiles } from '../../../pipeline/lake/observations/partition-files.ts';
import { lakeFolder } from '../../../pipeline/lake/paths.ts';
import { runCommand } from '../../jobs/fake-world.ts';
import {
  type Answer,
  finalise,
  getManifest,
  live,
  openWorldToFinalise,
  settings,
  storeAnswers,
  type World,
} from '../../support/worlds/finalised-world.ts';
import { rewriteInSchema1, rewriteInSchema2, rewriteInSchema3 } from '../../support/worlds/former-schema.ts';
import { soundFeed, temporaryFolder } from '../../support/worlds/ingest.ts';

vi.hoisted(() => {
  process.env.TZ = 'Asia/Tokyo';
});

const DAY = '2026-03-03';
const AFTER = '2026-03-04T13:45:00Z';
const call = { trip: 't1', position: 0, stopId: 'a', event: 'departure', planned: `${DAY}T07:00:00Z` } as const;
const early: Answer = {
  at: `${DAY}T06:50:00Z`,
  reported: [{ ...call, time: `${DAY}T07:01:00Z`, evidence: 'forecast' }],
};
const late: Answer = {
  at: `${DAY}T07:05:00Z`,
  reported: [{ ...call, time: `${DAY}T07:02:00Z`, evidence: 'observed_actual' }],
};
const cancelled: Answer = {
  at: `${DAY}T07:05:30Z`,
  reported: (['arrival', 'departure'] as const).map((event) => ({
    ...call,
    event,
    position: 1,
    stopId: 'b',
    isCancelled: true,
  })),
};
// Keys from both halves of the number range.
const added = (trip: string, key: bigint): Answer => ({
  at: `${DAY}T07:06:00Z`,
  reported: [{ ...call, trip, key, time: `${DAY}T07:03:00Z`, evidence: 'forecast' }],
});

const filesOf = ({ dataDir, date }: World) => listObservationFiles(dataDir, live, date);

type Rewrite = typeof rewriteInSchema1;

type Former = 'none' | 'first' | 'all';

let templates: string;
beforeAll(async () => {
  templates = await mkdtemp(path.join(tmpdir(), 'taktgeber-former-'));
});
afterAll(() => rm(templates, { recursive: true }));

/** By what they are made of: what follows needs each of them several times. */
const made = new Set<string>();

/** A day whose first responses are in files of a former schema: all of them, or none. */
async function openWorld(former: Former, rewrite: Rewrite = rewriteInSchema1): Promise<World> {
  const name = former === 'none' ? former : `${former} ${rewrite.name}`;
  const template = path.join(templates, name);
  if (!made.has(name)) {
    await cp((await makeWorld(former, rewrite)).dataDir, template, { recursive: true });
    made.add(name);
  }
  const dataDir = await temporaryFolder();
  await cp(template, dataDir, { recursive: true });
  return { dataDir, date: DAY as World['date'] };
}

async function makeWorld(former: Former, rewrite: Rewrite): Promise<World> {
  const world = await openWorldToFinalise(soundFeed, DAY);
  await storeAnswers(world, [early, added('x', 2n ** 64n - 3n)]);
  if (former === 'first') await rewrite(await filesOf(world));
  await storeAnswers(world, [late, added('y', 5n)]);
  if (former === 'all') await rewrite(await filesOf(world));
  expect((await filesOf(world)).length).toBe(2);
  return world;
}

/** Computes what every case is compared with when the first one needs it, and keeps it. */
function once<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

async function runQuery(sql: string): Promise<unknown[]> {
  const db = await openDuckdb({ threads: 1 });
  try {
    return (await db.query(sql)).map((row) => Object.values(row).map(String));
  } finally {
    db.close();
  }
}

const select = async (world: World) =>
  `select * from (${selectObservations(await filesOf(world))}) order by trip_id, trip_key, first_seen_at, time_order`;
const readAll = async (world: World) =>
  runQuery((await select(world)).replace('time_order', 'coalesce(observed_time, estimated_time)'));

async function finaliseAndHash(world: World): Promise<string> {
  expect((await finalise(world, AFTER)).code).toBe(0);
  return (await getManifest(world)).rowsHash;
}

/** What `export`, `sql` and `explain` say of a world. */
async function showAll({ dataDir }: World): Promise<unknown[]> {
  const run = async (...argv: string[]) => (await runCommand(argv, { dataDir })).stdout;
  const out = path.join(dataDir, 'out.parquet');
  await run('export', '--table', 'observations', '--out', out);
  return [
    await runQuery(`from ${sqlText(out)} order by all`),
    await run('sql', '--csv', 'from observations order by trip_id, trip_key, first_seen_at, observed_time'),
    JSON.parse(await run('explain', 't1', '--json', '--date', DAY)),
  ];
}

const presentRows = once(async () => readAll(await openWorld('none')));
const presentHash = once(async () => finaliseAndHash(await openWorld('none')));
const presentAnswers = once(async () => showAll(await openWorld('none')));

describe.each([
  ['first', 1, rewriteInSchema1],
  ['all', 1, rewriteInSchema1],
  ['first', 2, rewriteInSchema2],
  ['all', 2, rewriteInSchema2],
] as const)('observations of which %s have schema %i', (former, _schema, rewrite) => {
  it('are read as if none had', async () => {
    expect(await readAll(await openWorld(former, rewrite))).toEqual(await presentRows());
  });

  it('give the same stop events', async () => {
    expect(await finaliseAndHash(await openWorld(former, rewrite))).toBe(await presentHash());
  });

  it('have the current schema once compacted', async () => {
    const world = await openWorld(former, rewrite);
    await compactObservations(world.dataDir, live, world.date, settings);
    const files = await filesOf(world);
    expect(files).toHaveLength(1);
    expect(await readAll(world)).toEqual(await presentRows());
    const types = await runQuery(`select column_type from (describe from ${sqlText(files[0]!)})
      where column_name in ('trip_key', 'position', 'first_seen_at')`);
    expect(types).toEqual([['BIGINT'], ['INTEGER'], ['TIMESTAMP WITH TIME ZONE']]);
  });

  it('are exported, queried and explained alike', async () => {
    expect(await showAll(await openWorld(former, rewrite))).toEqual(await presentAnswers());
    expect(JSON.stringify(await presentAnswers())).toContain(`${DAY} 06:50:00+00`);
  });
});

/** What a plain DuckDB in a distant time zone reads through the catalog of a lake. */
async function queryCatalog(dataDir: string, ...queries: readonly string[]): Promise<readonly string[]> {
  const script = `
    import { readFile } from 'node:fs/promises';
    import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))};
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(await readFile(${JSON.stringify(path.join(lakeFolder(dataDir), 'catalog.sql'))}, 'utf8'));
    const found = [];
    for (const query of ${JSON.stringify(queries)})
      found.push(JSON.stringify((await connection.runAndReadAll(query)).getRowsJson()));
    process.stdout.write(JSON.stringify(found));`;
  const env = { ...process.env, TZ: 'Asia/Tokyo' };
  const argv = ['--input-type=module', '-e', script];
  return JSON.parse((await promisify(execFile)(process.execPath, argv, { cwd: dataDir, env })).stdout);
}

/** What the catalog shows of a day with a cancelled call, whose files are rewritten in a former schema or not. */
async function readCatalog(former: Former, rewrite: Rewrite): Promise<readonly string[]> {
  const world = await openWorld(former, rewrite);
  await storeAnswers(world, [cancelled]);
  await finalise(world, AFTER);
  if (former !== 'none') await rewrite([stopEventFile(world.dataDir, live, world.date)]);
  await writeLakeGuide(world.dataDir);
  const times = `select trip_id, trip_key::varchar, first_seen_at::varchar, epoch(first_seen_at) from observations order by all`;
  const events = `select trip_id, trip_key::varchar, scheduled_time::varchar, arrival_is_cancelled,
      departure_is_cancelled from stop_events order by all`;
  const counted = `select scheduled_time_local::varchar, typeof(scheduled_time_local), is_cancelled
      from counted_calls order by all`;
  return queryCatalog(world.dataDir, times, events, counted);
}

const presentCatalog = once(() => readCatalog('none', rewriteInSchema1));

it.each([
  [1, rewriteInSchema1],
  [2, rewriteInSchema2],
  [3, rewriteInSchema3],
] as const)('the catalog reads files of schema %i alike in any time zone', async (_schema, rewrite) => {
  const [times, events, counted] = await presentCatalog();
  expect(times).toContain('2026-03-03 06:50:00+00');
  expect(counted).toContain('2026-03-03 08:00:00');
  expect(events).toContain(',true,true]');
  for (const former of ['first', 'all'] as const)
    expect(await readCatalog(former, rewrite)).toEqual([times, events, counted]);
});
