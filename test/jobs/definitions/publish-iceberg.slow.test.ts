import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { stopEventFile } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { martFile, stopEventManifestFile } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { metadataFolder } from '../../../pipeline/scale-out/iceberg/table-folder.ts';
import {
  type LakehouseTable,
  listLakehouseTables,
  toTableFolder,
} from '../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { hashFiles, readFolderState } from '../../support/checks/folder-state.ts';
import { readFilesOf } from '../../support/worlds/iceberg-table.ts';
import { publishDay } from '../../support/worlds/marts.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

const DAY = '2026-01-15' as ServiceDate;
const OTHER = '2026-01-16' as ServiceDate;
const live = toSourceId('live');

const getTable = (name: string): LakehouseTable =>
  listLakehouseTables().find(({ definition }) => definition.name === name)!;
const placeOf = (dataDir: string, name: string) => toTableFolder(dataDir, null, getTable(name).definition);
const run = (dataDir: string, ...argv: string[]) => runCommand(['run', ...argv], { dataDir });
const isOfTheLake = (file: string) => !/^(jobs|operations|state)/.test(file);

async function twoDays(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const date of [DAY, OTHER])
    await publishDay(dataDir, 'live', date, [{ trip_id: 'old', utc_offset_minutes: 60 }]);
  return dataDir;
}

it('publishes existing data; the second time nothing changes', async () => {
  const dataDir = await twoDays();
  await run(dataDir, 'build-marts');
  const first = await run(dataDir, 'publish-iceberg');
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/published 9 of 15 tables with 10 new files/)]);
  const state = await readFolderState(dataDir, isOfTheLake);
  expect(await run(dataDir, 'publish-iceberg', '--exit-code')).toMatchObject({ code: 3 });
  expect(await readFolderState(dataDir, isOfTheLake)).toEqual(state);
});

it('lists in a dry run what it would do, and does nothing', async () => {
  const dataDir = await twoDays();
  const { stdout } = await run(dataDir, 'publish-iceberg', '--dry-run');
  expect(stdout).toContain('would publish 1 of 15 tables with 2 new files');
  expect(stdout).toContain('lake.stop_events');
  expect([...(await hashFiles(dataDir)).keys()].filter((file) => file.startsWith('iceberg'))).toEqual([]);
});

it('updates the other tables if one is damaged, and fails', async () => {
  const dataDir = await twoDays();
  await run(dataDir, 'build-marts');
  await run(dataDir, 'publish-iceberg');
  const line = placeOf(dataDir, 'line_daily');
  const before = await readFilesOf(line);
  const damaged = path.join(metadataFolder(placeOf(dataDir, 'stop_events')), 'v1.metadata.json');
  await writeFile(damaged, '{');
  await publishDay(dataDir, 'live', DAY, [{ trip_id: 'new', utc_offset_minutes: 60, delay_seconds: 7 }]);
  await run(dataDir, 'build-marts');
  const { code, stderr } = await run(dataDir, 'publish-iceberg');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`lake.stop_events is unchanged: ${damaged}`)]);
  expect(await readFilesOf(line)).not.toEqual(before);
});

it('updates the tables if the database of the catalog is away, and fails with a retryable error', async () => {
  const dataDir = await twoDays();
  const environment = { TAKTGEBER_ICEBERG_CATALOG_POSTGRES_URL: 'postgres://nobody@127.0.0.1:9/none' };
  const effects = fakeEffects();
  const { code, stderr } = await runCommand(['run', 'publish-iceberg'], { dataDir, environment, effects });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('the catalog does not have the new versions of the Iceberg tables yet: '),
  ]);
  expect(effects.sleeps).toEqual([2000, 10_000]);
  expect(await readFilesOf(placeOf(dataDir, 'stop_events'))).toHaveLength(2);
});

it('follows a rebuilt and a removed day, and keeps the former snapshot readable', async () => {
  const dataDir = await twoDays();
  await run(dataDir, 'publish-iceberg');
  const table = placeOf(dataDir, 'stop_events');
  const before = await readFilesOf(table);
  await publishDay(dataDir, 'live', DAY, [{ trip_id: 'new', utc_offset_minutes: 60 }]);
  await rm(stopEventManifestFile(dataDir, live, OTHER));
  await rm(path.dirname(stopEventFile(dataDir, live, OTHER)), { recursive: true });
  expect(await run(dataDir, 'publish-iceberg')).toMatchObject({
    stdout: expect.stringContaining('1 of 15 tables with 1 new'),
  });
  expect(await readFilesOf(table)).toHaveLength(1);
  expect(await readFilesOf(table, ([former]) => former!)).toEqual(before);
  expect(await run(dataDir, 'expire-iceberg')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no snapshot'),
  });
});

it('expires former snapshots and their files when they are too old', async () => {
  const dataDir = await twoDays();
  // Later than any file of the test.
  const effects = fakeEffects('2100-01-01T12:00:00Z');
  const environment = { TAKTGEBER_ICEBERG_KEEP_SNAPSHOTS: '1' };
  const runAt = (instant: string, ...argv: string[]) => {
    effects.clock.set(instant);
    return runCommand(['run', ...argv], { dataDir, effects, environment });
  };
  await runAt('2100-01-01T12:00:00Z', 'publish-iceberg');
  await publishDay(dataDir, 'live', DAY, [{ trip_id: 'new', utc_offset_minutes: 60 }]);
  await runAt('2100-01-02T12:00:00Z', 'publish-iceberg');
  const young = await runAt('2100-01-04T11:00:00Z', 'expire-iceberg');
  expect(young.stdout).toContain('no snapshot is beyond its limits');
  const dry = await runAt('2100-01-04T13:00:00Z', 'expire-iceberg', '--dry-run');
  expect(dry.stdout).toMatch(/would drop 1 snapshots and 4 files of \d+ bytes/);
  const old = await runAt('2100-01-04T13:00:00Z', 'expire-iceberg');
  expect(old.stdout).toMatch(/dropped 1 snapshots and 4 files of \d+ bytes/);
  expect(await readFilesOf(placeOf(dataDir, 'stop_events'))).toHaveLength(2);
  const places = [...(await hashFiles(dataDir)).keys()].filter((file) =>
    /^iceberg\/lake\/stop_events\/data/.test(file),
  );
  expect(places).toHaveLength(2);
});

it('reports a table with a future date, and expires none of its snapshots until then', async () => {
  const dataDir = await twoDays();
  const effects = fakeEffects('2101-01-01T12:00:00Z');
  const environment = { TAKTGEBER_ICEBERG_KEEP_SNAPSHOTS: '1' };
  const runNow = (job: string) => runCommand(['run', job], { dataDir, effects, environment });
  await runNow('publish-iceberg');
  expect((await runNow('expire-iceberg')).stderr).not.toContain('ahead');
  effects.clock.set('2100-12-22T12:00:00Z');
  await publishDay(dataDir, 'live', DAY, [{ trip_id: 'new', utc_offset_minutes: 60 }]);
  await runNow('publish-iceberg');
  effects.clock.set('2100-12-25T12:00:00Z');
  const { code, stdout, stderr } = await runNow('expire-iceberg');
  expect([code, stdout]).toEqual([0, expect.stringContaining('no snapshot is beyond its limits')]);
  expect(stderr).toContain('the Iceberg table lake.stop_events is dated 7 days ahead: ');
  effects.clock.set('2101-01-01T09:30:00Z');
  expect((await runNow('expire-iceberg')).stderr).toContain('lake.stop_events is dated 3 hours ahead: ');
});

it.each<[what: string, damage: (metadata: string) => Promise<void>, message: string]>([
  ['is damaged', (metadata) => writeFile(path.join(metadata, 'v2.metadata.json'), '{'), 'v2.metadata.json is damaged'],
  [
    'has lost its manifests',
    async (metadata) => {
      const names = await readdir(metadata);
      for (const name of names.filter((one) => one.endsWith('.avro'))) await rm(path.join(metadata, name));
    },
    'no such file',
  ],
])(
  'expires former snapshots of the other tables if one %s, run after run, and fails',
  async (_what, damage, message) => {
    const dataDir = await twoDays();
    const effects = fakeEffects('2100-01-01T12:00:00Z');
    const environment = { TAKTGEBER_ICEBERG_KEEP_SNAPSHOTS: '1' };
    const runAt = (instant: string, ...argv: string[]) => {
      effects.clock.set(instant);
      return runCommand(['run', ...argv], { dataDir, effects, environment });
    };
    const renew = async (instant: string, delaySeconds: number) => {
      await publishDay(dataDir, 'live', DAY, [{ utc_offset_minutes: 60, delay_seconds: delaySeconds }]);
      await runAt(instant, 'build-marts');
      await runAt(instant, 'publish-iceberg');
    };
    const countFiles = async () =>
      (await readdir(path.join(placeOf(dataDir, 'line_daily').folder, 'data'), { recursive: true })).filter((name) =>
        name.endsWith('.parquet'),
      ).length;
    await renew('2100-01-01T12:00:00Z', 1);
    await renew('2100-01-02T12:00:00Z', 2);
    expect(await countFiles()).toBe(2);
    await damage(metadataFolder(placeOf(dataDir, 'stop_events')));
    await runAt('2100-01-04T13:00:00Z', 'expire-iceberg');
    expect(await countFiles()).toBe(1);
    await renew('2100-01-05T12:00:00Z', 3);
    expect(await countFiles()).toBe(2);
    const { code, stderr } = await runAt('2100-01-08T12:00:00Z', 'expire-iceberg');
    expect(code).toBe(1);
    expect(stderr).toContain('failed for lake.stop_events: ');
    expect(stderr).toContain(message);
    // A run ages snapshots by two days at most: the next one continues, although the table is still damaged.
    await runAt('2100-01-08T13:00:00Z', 'expire-iceberg');
    expect(await countFiles()).toBe(1);
  },
);

it('keeps a day whose rebuild was killed, and a month of marts', async () => {
  const dataDir = await twoDays();
  await run(dataDir, 'build-marts');
  await run(dataDir, 'publish-iceberg');
  await rm(stopEventManifestFile(dataDir, live, DAY));
  await rm(martFile(dataDir, 'line_daily', '2026-01'));
  expect(await run(dataDir, 'publish-iceberg')).toMatchObject({ code: 0 });
  expect(await readFilesOf(placeOf(dataDir, 'stop_events'))).toHaveLength(2);
  for (const mart of ['line_daily', 'network_hourly'])
    expect(await readFilesOf(placeOf(dataDir, mart))).toHaveLength(1);
});

it('leaves a table whose files a job is writing to the next run', async () => {
  const dataDir = await twoDays();
  const lock = await acquireLocks(dataDir, 'finalise-stop-events', ['stop-events/live'], systemClock);
  const { stdout, stderr } = await run(dataDir, 'publish-iceberg');
  await lock.release();
  expect(stdout).toContain('the Iceberg tables are up to date, 1 are waiting for the jobs that write them');
  expect(stderr).toContain('lake.stop_events is left to the next run');
  expect(await run(dataDir, 'publish-iceberg')).toMatchObject({ stdout: expect.stringContaining('published 1 of 15') });
});
