import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb, sqlText } from '../../../../pipeline/effects/duckdb.ts';
import { projectRoot } from '../../../../pipeline/effects/project-files.ts';
import { listDefinitions } from '../../../../pipeline/history/marts/definitions.ts';
import { martNames, readMartManifest } from '../../../../pipeline/history/marts/mart-manifest.ts';
import {
  dailyMarts,
  type MartName,
  type MartTable,
  martTables,
} from '../../../../pipeline/history/marts/mart-tables.ts';
import { removeStopEvents } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { martFile, martsFolder, stopEventManifestFile } from '../../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { readFolderState } from '../../../support/checks/folder-state.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import { build, limits, publishDay, readMart, readMartTexts } from '../../../support/worlds/marts.ts';
import type { StopEventRow } from '../../../support/worlds/stop-events.ts';

const live = toSourceId('live');

/** A trip of two calls; its delay makes days differ. */
function trip(delay: number, reported: StopEventRow = {}): StopEventRow[] {
  const row = { utc_offset_minutes: 60, delay_seconds: delay, ...reported };
  return [
    { ...row, position: 0, stop_id: 'a' },
    { ...row, position: 1, stop_id: 'b', event: 'arrival' },
  ];
}

/** Three days in two months, two sources on one of them. */
async function publishThreeDays(dataDir: string): Promise<void> {
  await publishDay(dataDir, 'live', '2026-01-30', trip(60));
  await publishDay(dataDir, 'live', '2026-01-31', trip(330));
  await publishDay(dataDir, 'other', '2026-01-31', trip(600, { line_label: 'S1', trip_id: 't2' }));
  await publishDay(dataDir, 'live', '2026-02-01', trip(-30));
}

/** Copied for every test: the same days without and with marts. */
const templates = { days: '', marts: '' };

beforeAll(async () => {
  for (const kind of ['days', 'marts'] as const)
    templates[kind] = await mkdtemp(path.join(tmpdir(), 'taktgeber-marts-'));
  await publishThreeDays(templates.days);
  await cp(templates.days, templates.marts, { recursive: true });
  await build(templates.marts);
});

afterAll(async () => {
  for (const folder of Object.values(templates)) await rm(folder, { recursive: true });
});

async function copyOf(template: string): Promise<string> {
  const dataDir = await temporaryFolder();
  await cp(template, dataDir, { recursive: true });
  return dataDir;
}

const threeDays = () => copyOf(templates.days);
const threeBuiltDays = () => copyOf(templates.marts);

async function fromScratch(dataDir: string): Promise<Map<string, string[]>> {
  await rm(martsFolder(dataDir), { recursive: true });
  await build(dataDir);
  return readMartTexts(dataDir);
}

describe('building', () => {
  it('builds every day once, and nothing the second time', async () => {
    const dataDir = await threeDays();
    expect(await build(dataDir)).toEqual([
      { month: '2026-01', made: ['2026-01-30', '2026-01-31'], removed: [], kept: 0 },
      { month: '2026-02', made: ['2026-02-01'], removed: [], kept: 0 },
    ]);
    const state = await readFolderState(dataDir);
    expect(await build(dataDir)).toEqual([]);
    expect(await readFolderState(dataDir)).toEqual(state);
  });

  it('gives the same bytes with force', async () => {
    const dataDir = await threeBuiltDays();
    const bytes = async () => Promise.all(martNames.map((mart) => readFile(martFile(dataDir, mart, '2026-01'))));
    const before = await bytes();
    expect((await build(dataDir, { isForced: true })).map(({ month }) => month)).toEqual(['2026-01', '2026-02']);
    expect(await bytes()).toEqual(before);
  });

  const changes: [reason: string, change: (dataDir: string) => Promise<void>, changed: string, made: number][] = [
    ['a new day', (dataDir) => publishDay(dataDir, 'live', '2026-01-29', trip(90)), '2026-01-29', 1],
    ['a changed day', (dataDir) => publishDay(dataDir, 'live', '2026-01-31', trip(90)), '2026-01-31', 1],
    [
      'a day with an additional source',
      (dataDir) => publishDay(dataDir, 'late', '2026-01-30', trip(90)),
      '2026-01-30',
      1,
    ],
    ['a removed source', (dataDir) => removeStopEvents(dataDir, live, '2026-01-31' as ServiceDate), '2026-01-31', 1],
    ['a removed day', (dataDir) => removeStopEvents(dataDir, live, '2026-01-30' as ServiceDate), '2026-01-30', 0],
    ['a removed month', (dataDir) => removeStopEvents(dataDir, live, '2026-02-01' as ServiceDate), '2026-02-01', 0],
  ];
  it.each(changes)(
    '%s changes only its own rows, as if everything were rebuilt',
    async (_case, change, changed, made) => {
      const dataDir = await threeBuiltDays();
      const before = await readMartTexts(dataDir);
      await change(dataDir);
      const [month, ...others] = await build(dataDir);
      expect([month!.made.length, month!.removed.length, others]).toEqual([made, 1 - made, []]);
      const after = await readMartTexts(dataDir);
      const isOther = ([key]: [string, string[]]) => !key.includes(changed) && !key.startsWith('worst_connections');
      expect([...after].filter(isOther)).toEqual([...before].filter(isOther));
      expect([...after].some(([key]) => key.includes(changed))).toBe(made === 1);
      expect(after).toEqual(await fromScratch(dataDir));
    },
  );

  it('with a period leaves other days for later', async () => {
    const dataDir = await threeDays();
    const day = '2026-01-31' as ServiceDate;
    await build(dataDir);
    for (const date of ['2026-01-30', day, '2026-02-01']) await publishDay(dataDir, 'live', date, trip(1));
    expect(await build(dataDir, { from: day, to: day })).toMatchObject([{ month: '2026-01', made: [day], kept: 1 }]);
    expect((await build(dataDir)).flatMap(({ made }) => made)).toEqual(['2026-01-30', '2026-02-01']);
  });

  it('lists what a dry run would build, and builds nothing', async () => {
    const dataDir = await threeDays();
    const state = await readFolderState(dataDir);
    expect(await build(dataDir, { isDryRun: true })).toHaveLength(2);
    expect(await readFolderState(dataDir)).toEqual(state);
  });

  it('with another definition rebuilds everything beside the previous definition', async () => {
    const dataDir = await threeBuiltDays();
    await build(dataDir, { definitions: listDefinitions(limits, '180/300') });
    const rows = await readMart(dataDir, 'line_daily', "source = '*' and line = 'U1' and service_date = '2026-01-31'");
    expect(rows.map((row) => [row.on_time_max_delay_seconds, row.late10, row.on_time])).toEqual([
      [180, 2, 0],
      [330, 0, 0],
    ]);
    expect(await build(dataDir)).toHaveLength(2);
  });

  it.each<[reason: string, spoil: (file: string, dataDir: string) => Promise<void>]>([
    ['a file is missing', (file) => rm(file)],
    ['a file is truncated', (file) => truncate(file, 100)],
    ['the manifest is missing', (_file, dataDir) => rm(manifestOf(dataDir, '2026-01'))],
    ['the manifest is damaged', (_file, dataDir) => writeFile(manifestOf(dataDir, '2026-01'), '{')],
  ])('rebuilds months if %s', async (_case, spoil) => {
    const dataDir = await threeBuiltDays();
    const before = await readMartTexts(dataDir);
    await spoil(martFile(dataDir, 'line_daily', '2026-01'), dataDir);
    expect((await build(dataDir))[0]).toMatchObject({ month: '2026-01', kept: 0 });
    expect(await readMartTexts(dataDir)).toEqual(before);
  });
});

it('one manifest for all months, of an earlier version, is read until a month has its own', async () => {
  const dataDir = await threeBuiltDays();
  const former = { formatVersion: 1, months: (await readMartManifest(dataDir)).months };
  await rm(path.join(martsFolder(dataDir), 'month-manifests'), { recursive: true });
  await writeFile(path.join(martsFolder(dataDir), 'manifest.json'), JSON.stringify(former));
  expect(await build(dataDir)).toEqual([]);
  await publishDay(dataDir, 'live', '2026-01-31', trip(90));
  await removeStopEvents(dataDir, live, '2026-02-01' as ServiceDate);
  expect(await build(dataDir)).toMatchObject([{ made: ['2026-01-31'], kept: 1 }, { removed: ['2026-02-01'] }]);
  expect(await build(dataDir)).toEqual([]);
  expect(Object.keys((await readMartManifest(dataDir)).months)).toEqual(['2026-01']);
});

const manifestOf = (dataDir: string, month: string) =>
  path.join(martsFolder(dataDir), 'month-manifests', `month=${month}`, 'manifest.json');

describe('checks', () => {
  it('that fail report their name and the first rows, and change nothing', async () => {
    const dataDir = await threeBuiltDays();
    const before = await readMartTexts(dataDir);
    await publishDay(dataDir, 'live', '2026-01-30', trip(45));
    const file = stopEventManifestFile(dataDir, live, '2026-01-30' as ServiceDate);
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...manifest, counts: { ...manifest.counts, scheduled: 3 } }));
    await expect(build(dataDir)).rejects.toMatchObject({
      code: 'mart_check_failed',
      message: expect.stringMatching(/2026-01-30: the check cube_equals_stop_events found .*"scheduled":2/),
    });
    expect(await readMartTexts(dataDir)).toEqual(before);
    expect(Object.keys((await readMartManifest(dataDir)).months)).toEqual(['2026-01', '2026-02']);
  });

  it('reject planned calls without a scheduled time', async () => {
    const dataDir = await temporaryFolder();
    await publishDay(dataDir, 'live', '2026-01-30', trip(60, { scheduled_time: null }));
    await expect(build(dataDir)).rejects.toThrow('the check planned_calls_without_time found');
    expect(await readdir(dataDir)).not.toContain('marts');
  });
});

describe('the files', () => {
  it.each(martNames)('of %s have the declared columns, each with a description', async (mart: MartName) => {
    const db = await openDuckdb({ threads: 1 });
    onTestFinished(() => db.close());
    const file = sqlText(martFile(templates.marts, mart, '2026-01'));
    const described = await db.query(`describe from read_parquet(${file}, hive_partitioning = false)`);
    const { columns, key, about }: MartTable = martTables[mart];
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual(
      Object.entries(columns).map(([name, [type]]) => [name, type]),
    );
    for (const [name, [, sentence]] of Object.entries(columns)) expect(sentence, name).toMatch(/^\S.*[.:;]$/);
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(key.filter((name) => !(name in columns))).toEqual([]);
  });

  it('are those that have SQL, those of a day in the order of their dependencies', async () => {
    const folder = path.join(projectRoot, 'pipeline/history/marts/sql');
    const sql = (await readdir(folder)).filter((name) => /^(?!stg_|int_).*\.sql$/.test(name));
    expect(sql.map((name) => name.replace('.sql', '')).sort()).toEqual([...martNames].sort());
    expect(martNames.filter((mart) => !dailyMarts.some((daily) => daily === mart))).toEqual(['worst_connections']);
    for (const [index, mart] of dailyMarts.entries()) {
      const text = await readFile(path.join(folder, `${mart}.sql`), 'utf8');
      const later = dailyMarts.slice(index + 1).filter((other) => new RegExp(`\\b${other}\\b`).test(text));
      expect(later, mart).toEqual([]);
    }
  });

  it('exist, empty, for a day without a call', async () => {
    const dataDir = await temporaryFolder();
    await publishDay(dataDir, 'live', '2026-01-30', []);
    expect(await build(dataDir)).toHaveLength(1);
    expect([...(await readMartTexts(dataDir)).keys()]).toEqual([]);
    expect(await build(dataDir)).toEqual([]);
  });
});
