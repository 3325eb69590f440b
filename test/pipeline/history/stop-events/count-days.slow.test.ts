import { copyFileSync, mkdirSync, rmSync, truncateSync } from 'node:fs';
import { copyFile, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Duckdb, openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { countDays } from '../../../../pipeline/history/stop-events/count-days.ts';
import { isCountedTogether, readMarks } from '../../../../pipeline/history/stop-events/counted-rows.ts';
import { measureRows, readRows } from '../../../../pipeline/history/stop-events/measure-rows.ts';
import { findStopEventManifest, stopEventFile } from '../../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { removeStopEvents } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { rewriteInSchema1, rewriteInSchema2, rewriteInSchema3 } from '../../../support/worlds/former-schema.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, publishDay, readMartTexts } from '../../../support/worlds/marts.ts';
import { cancelCall, readStopEvents, type StopEventRow } from '../../../support/worlds/stop-events.ts';

const DAY = '2026-01-15' as ServiceDate;
const [a, b] = [toSourceId('a'), toSourceId('b')];
const row = { utc_offset_minutes: 60 };
const unknown = { delay_seconds: null, observed_time: null, evidence: 'unknown' };
const cancelled = { ...unknown, ...cancelCall() };
const forecast = { ...unknown, evidence: 'forecast' };

/** By position, the report of each source for a call, and which one counts. */
const cases: readonly [
  of: StopEventRow | null,
  other: StopEventRow | null,
  counts: [boolean | null, boolean | null],
][] = [
  [{}, {}, [true, false]],
  [unknown, {}, [false, true]],
  [cancelled, {}, [false, true]],
  [cancelled, forecast, [true, false]],
  [forecast, cancelled, [false, true]],
  [unknown, forecast, [false, true]],
  [forecast, forecast, [true, false]],
  [{}, null, [true, null]],
  [null, unknown, [null, true]],
  [{ is_added: true }, {}, [false, true]],
  [{ is_added: true }, null, [false, null]],
  [{ feed_source: null }, { feed_source: null }, [true, true]],
  [{ feed_source: 'other' }, {}, [true, true]],
];

const rowsOf = (which: 0 | 1) =>
  cases.flatMap((one, position) => (one[which] === null ? [] : [{ ...row, ...one[which], position }]));

async function twoSources(): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'a', DAY, rowsOf(0));
  await publishDay(dataDir, 'b', DAY, rowsOf(1));
  return dataDir;
}

const silent = { progress: () => {}, warn: () => {} };

const count = (dataDir: string, progress: (line: string) => void = () => {}) =>
  countDays({
    dataDir,
    settings: { memoryLimit: '256MB', threads: 1 },
    from: null,
    to: null,
    log: { ...silent, progress },
  });

const fileOf = (dataDir: string, source: typeof a, date = DAY) => stopEventFile(dataDir, source, date);

async function countedOf(dataDir: string, source: typeof a): Promise<Map<unknown, unknown>> {
  const rows = await readStopEvents(dataDir, source, DAY, 'position, is_counted');
  return new Map(rows.map(({ position, is_counted }) => [position, is_counted]));
}

async function open(): Promise<Duckdb> {
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  return db;
}

/** Whether the files of the day refer to each other. */
async function isTogether(dataDir: string, sources = [a, b]): Promise<boolean> {
  const files = sources.map((source) => ({ source, file: fileOf(dataDir, source) }));
  return isCountedTogether(files, await readMarks(await open(), files));
}

it('counts a call with the best evidence, ties by source name', async () => {
  const dataDir = await twoSources();
  await count(dataDir);
  const [ofA, ofB] = [await countedOf(dataDir, a), await countedOf(dataDir, b)];
  const found = cases.map((_, position) => [ofA.get(position) ?? null, ofB.get(position) ?? null]);
  expect(found).toEqual(cases.map(([, , counts]) => counts));
});

it('counts once: again if a source is new, changed or gone, and for no other day', async () => {
  const dataDir = await twoSources();
  await publishDay(dataDir, 'a', '2026-01-16', [row]);
  expect(await count(dataDir)).toEqual([DAY]);
  expect(await count(dataDir)).toEqual([]);
  await publishDay(dataDir, 'b', DAY, [{ ...row, position: 1 }]);
  expect(await count(dataDir)).toEqual([DAY]);
  expect((await countedOf(dataDir, a)).get(0)).toBe(true);
  await removeStopEvents(dataDir, a, DAY);
  expect(await count(dataDir)).toEqual([DAY]);
  expect(await countedOf(dataDir, b)).toEqual(new Map([[1, true]]));
  await publishDay(dataDir, 'c', DAY, [row]);
  await publishDay(dataDir, 'c', '2026-01-16', [row]);
  expect(await count(dataDir)).toEqual([DAY, '2026-01-16']);
});

it('leaves rows, their order, manifests and file metadata unchanged', async () => {
  const dataDir = await twoSources();
  const db = await open();
  const look = async () => {
    const file = fileOf(dataDir, a);
    const reported =
      await db.query(`select decode(key) as key, decode(value) as value from parquet_kv_metadata('${file}')
      where decode(key) <> 'counted_with' order by key`);
    const rows = await readStopEvents(dataDir, a, DAY, '* exclude (is_counted)');
    return { reported, rows, manifest: await findStopEventManifest(dataDir, a, DAY) };
  };
  const before = await look();
  await count(dataDir);
  const after = await look();
  expect(after).toEqual(before);
  expect((await measureRows(db, fileOf(dataDir, a))).rowsHash).toBe(before.manifest?.rowsHash);
  expect(before.reported.map(({ key }) => key)).toContain('licence');
});

it('a crash between two files leaves a day that is counted again', async () => {
  const dataDir = await twoSources();
  const aside = path.join(await temporaryFolder(), 'b.parquet');
  await copyFile(fileOf(dataDir, b), aside);
  await count(dataDir);
  expect(await isTogether(dataDir)).toBe(true);
  await copyFile(aside, fileOf(dataDir, b));
  expect(await isTogether(dataDir)).toBe(false);
  expect(await count(dataDir)).toEqual([DAY]);
  expect(await isTogether(dataDir)).toBe(true);
});

it('keeps a file that was rewritten meanwhile', async () => {
  const dataDir = await twoSources();
  const other = await temporaryFolder();
  await publishDay(other, 'b', DAY, [{ ...row, trip_id: 'new' }]);
  await count(dataDir, () => copyFileSync(fileOf(other, b), fileOf(dataDir, b)));
  expect(await readFile(fileOf(dataDir, b))).toEqual(await readFile(fileOf(other, b)));
  expect(await isTogether(dataDir)).toBe(false);
});

it('adds name and column to older files', async () => {
  const dataDir = await twoSources();
  await rewriteInSchema1([fileOf(dataDir, a), fileOf(dataDir, b)]);
  expect(await isTogether(dataDir)).toBe(false);
  const { rowsHash } = await measureRows(await open(), fileOf(dataDir, a));
  expect(await count(dataDir)).toEqual([DAY]);
  expect(await isTogether(dataDir)).toBe(true);
  expect((await measureRows(await open(), fileOf(dataDir, a))).rowsHash).toBe(rowsHash);
  expect((await countedOf(dataDir, b)).get(0)).toBe(false);
});

const typesOf = async (file: string) =>
  (await (await open()).query(`select column_type from (describe from '${file}')`)).map(
    ({ column_type: type }) => type,
  );

const formerSchemas = [
  ['2', 'USMALLINT', rewriteInSchema2],
  ['3', null, rewriteInSchema3],
] as const;

it.each(formerSchemas)(
  'migrates files of schema %s to the current one, with their rows, order and hash',
  async (_schema, type, rewrite) => {
    const dataDir = await twoSources();
    await count(dataDir);
    const [kept, types] = [await readFile(fileOf(dataDir, a)), await typesOf(fileOf(dataDir, a))];
    const manifest = await findStopEventManifest(dataDir, a, DAY);
    await rewrite([fileOf(dataDir, a)]);
    expect(await typesOf(fileOf(dataDir, a))).not.toEqual(types);
    if (type !== null) expect(await typesOf(fileOf(dataDir, a))).toContain(type);
    expect((await measureRows(await open(), fileOf(dataDir, a))).rowsHash).toBe(manifest?.rowsHash);
    expect(await count(dataDir)).toEqual([DAY]);
    expect(await typesOf(fileOf(dataDir, a))).toEqual(types);
    expect(await readFile(fileOf(dataDir, a))).toEqual(kept);
    expect(await findStopEventManifest(dataDir, a, DAY)).toEqual(manifest);
    expect(await count(dataDir)).toEqual([]);
  },
);

it.each(formerSchemas)(
  'completes a day of which a crash left one file in schema %s',
  async (_schema, _type, rewrite) => {
    const dataDir = await twoSources();
    await count(dataDir);
    const db = await open();
    const rows = async () => [
      await db.query(`from (${readRows(fileOf(dataDir, a))})`),
      await db.query(`from (${readRows(fileOf(dataDir, b))})`),
    ];
    const before = await rows();
    const types = await typesOf(fileOf(dataDir, b));
    // The state when one file was renamed, and the next one was not.
    await rewrite([fileOf(dataDir, b)]);
    expect(await rows()).toEqual(before);
    expect(await count(dataDir)).toEqual([DAY]);
    expect(await rows()).toEqual(before);
    expect(await typesOf(fileOf(dataDir, b))).toEqual(types);
  },
);

it('a day of one source needs no second file', async () => {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'a', DAY, rowsOf(0));
  const before = await stat(fileOf(dataDir, a));
  expect(await count(dataDir)).toEqual([]);
  expect((await stat(fileOf(dataDir, a))).ino).toBe(before.ino);
  const added = cases.flatMap(([of], position) => (of?.is_added ? [position] : []));
  expect([...(await countedOf(dataDir, a))].filter(([, is]) => !is).map(([position]) => position)).toEqual(added);
});

it('marts are the same with or without the column', async () => {
  const dataDir = await twoSources();
  await build(dataDir);
  const before = await readMartTexts(dataDir);
  await count(dataDir);
  await build(dataDir, { isForced: true });
  expect(before.get(`line_daily ${DAY}`)?.length).toBeGreaterThan(2);
  expect(await readMartTexts(dataDir)).toEqual(before);
});

it('reads only requested days', async () => {
  const dataDir = await twoSources();
  const settings = { memoryLimit: '256MB', threads: 1 };
  const from = '2026-01-16' as ServiceDate;
  expect(await countDays({ dataDir, settings, from, to: null, log: silent })).toEqual([]);
  expect(await countDays({ dataDir, settings, from: null, to: DAY, log: silent })).toEqual([DAY]);
});

const broken: readonly (readonly [string, (file: string) => void])[] = [
  ['truncated', (file) => truncateSync(file, 200)],
  ['empty', (file) => truncateSync(file, 0)],
  ['a folder', (file) => [rmSync(file), mkdirSync(file)]],
];
it.each(broken)(
  'reports a file that is %s, leaves its day unchanged and continues with other days',
  async (_, breakFile) => {
    const dataDir = await twoSources();
    await publishDay(dataDir, 'a', '2026-01-16', [row]);
    await publishDay(dataDir, 'b', '2026-01-16', [row]);
    breakFile(fileOf(dataDir, b));
    const warnings: string[] = [];
    const settings = { memoryLimit: '256MB', threads: 1 };
    const warn = (line: string) => void warnings.push(line);
    expect(await countDays({ dataDir, settings, from: null, to: null, log: { ...silent, warn } })).toEqual([
      '2026-01-16',
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^stop events of 2026-01-15 cannot be counted: /)]);
  },
);
