import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildMartsJob } from '../../../jobs/definitions/build-marts.ts';
import { type JobContext, noOptions } from '../../../jobs/job/job.ts';
import { acquireLocks } from '../../../jobs/locks/job-lock.ts';
import { systemClock } from '../../../pipeline/effects/clock.ts';
import { stopEventFile } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { martFile } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { metadataFolder } from '../../../pipeline/scale-out/iceberg/table-folder.ts';
import { listLakehouseTables, toTableFolder } from '../../../pipeline/scale-out/lakehouse/lakehouse-tables.ts';
import { findCurrentHistoryId, historySnapshotsFolder } from '../../../pipeline/snapshots/history-contract.ts';
import { hashFiles, readFolderState } from '../../support/checks/folder-state.ts';
import { type StubAnswer, startStubTrino } from '../../support/fakes/stub-trino.ts';
import { rewriteInSchema1 } from '../../support/worlds/former-schema.ts';
import { publishDay, readMart } from '../../support/worlds/marts.ts';
import { readStopEvents } from '../../support/worlds/stop-events.ts';
import { fakeEffects, runCommand, temporaryFolder, testConfig } from '../fake-world.ts';

const DAY = '2026-01-15' as ServiceDate;

async function twoDays(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const date of ['2026-01-15', '2026-02-01']) {
    await publishDay(dataDir, 'live', date, [{ utc_offset_minutes: 60 }]);
  }
  return dataDir;
}

const run = (dataDir: string, ...options: string[]) => runCommand(['run', 'build-marts', ...options], { dataDir });

/** Without the records of the runs. */
const isOfTheLake = (file: string) => !/^(jobs|operations)/.test(file);

it('builds the marts of all days and publishes them as history; the second time nothing changes', async () => {
  const dataDir = await twoDays();
  const first = await run(dataDir);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('made 2 days in 2 months; history ')]);
  expect(await findCurrentHistoryId(dataDir)).not.toBeNull();
  const state = await readFolderState(dataDir, isOfTheLake);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
  expect(await readFolderState(dataDir, isOfTheLake)).toEqual(state);
});

it.each<[options: string[], message: string, days: string[]]>([
  [['--date', '2026-01-15'], 'made 1 days in 1 months', ['2026-01-15']],
  [['--from', '2026-01-16', '--to', '2026-02-28'], '1 of 2 months done, 1 unchanged; history ', ['2026-02-01']],
  [['--dry-run'], 'would make 2 days in 2 months', []],
  [['--date', '2026-01-20'], 'the marts are up to date', []],
])('%j', async (options, message, days) => {
  const dataDir = await twoDays();
  const { code, stdout } = await run(dataDir, ...options);
  expect([code, stdout]).toEqual([0, expect.stringContaining(message)]);
  const rows = await readMart(dataDir, 'network_hourly', "source = '*' and evidence = 'observed_actual'");
  expect(rows.map((row) => row.service_date)).toEqual(days);
});

it('publishes no history while the files of another month are partially replaced', async () => {
  const dataDir = await twoDays();
  await run(dataDir);
  const id = await findCurrentHistoryId(dataDir);
  const former = await readFile(martFile(dataDir, 'line_daily', '2026-02'));
  await publishDay(dataDir, 'live', '2026-02-02', [{ utc_offset_minutes: 60 }]);
  await run(dataDir);
  const next = await findCurrentHistoryId(dataDir);
  expect(next).not.toBe(id);
  await writeFile(martFile(dataDir, 'line_daily', '2026-02'), former);
  const { code, stderr } = await run(dataDir, '--date', '2026-01-15', '--force');
  expect([code, stderr]).toEqual([1, expect.stringContaining('the marts of 2026-02 are partially replaced')]);
  expect(await findCurrentHistoryId(dataDir)).toBe(next);
  expect((await run(dataDir)).code).toBe(0);
  expect(await findCurrentHistoryId(dataDir)).toBe(next);
});

it('reports definitions that differ from the configured limits', async () => {
  const dataDir = await twoDays();
  const environment = { TAKTGEBER_HISTORY_FURTHER_DEFINITIONS: '60/120, 330/600/forecast' };
  const { code } = await runCommand(['run', 'build-marts'], { dataDir, environment });
  const rows = await readMart(dataDir, 'line_daily', "source = '*' and service_date = '2026-01-15'");
  expect(code).toBe(0);
  expect(rows.map((row) => [row.on_time_max_delay_seconds, row.late_min_delay_seconds, row.evidence])).toEqual([
    [60, 120, 'observed_actual'],
    [330, 600, 'forecast'],
    [330, 600, 'last_forecast'],
    [330, 600, 'observed_actual'],
  ]);
});

/** The calls of source `a` that count, as stored in its file. */
const countedOf = async (dataDir: string) =>
  (await readStopEvents(dataDir, toSourceId('a'), DAY, 'is_counted')).map((row) => row.is_counted);

it('records in the stop events which calls count, even if no mart changes', async () => {
  const dataDir = await temporaryFolder();
  await publishDay(dataDir, 'a', DAY, [{ utc_offset_minutes: 60, evidence: 'unknown', delay_seconds: null }]);
  await publishDay(dataDir, 'b', DAY, [{ utc_offset_minutes: 60 }]);
  expect(await countedOf(dataDir)).toEqual([true]);
  expect((await run(dataDir, '--dry-run')).code).toBe(0);
  expect(await countedOf(dataDir)).toEqual([true]);
  expect((await run(dataDir)).code).toBe(0);
  expect(await countedOf(dataDir)).toEqual([false]);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
  await rewriteInSchema1([stopEventFile(dataDir, toSourceId('a'), DAY)]);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 0 });
  expect(await countedOf(dataDir)).toEqual([false]);
});

it.each(['finalise-stop-events', 'import-history'])(
  'while %s runs, only the marts are built, which is reported',
  async (job) => {
    const dataDir = await temporaryFolder();
    for (const source of ['a', 'b']) await publishDay(dataDir, source, DAY, [{ utc_offset_minutes: 60 }]);
    const lock = await acquireLocks(dataDir, job, ['stop-events/b'], systemClock);
    const { code, stdout, stderr } = await run(dataDir);
    await lock.release();
    expect([code, stdout]).toEqual([0, expect.stringContaining('made 1 days in 1 months')]);
    expect(stderr).toContain(`${job} is being run`);
    expect(stderr).toContain('the next run of build-marts sets is_counted');
    expect(
      (await readMart(dataDir, 'network_hourly', "source = '*' and evidence = 'observed_actual'")).map(
        (row) => row.scheduled,
      ),
    ).toEqual([1]);
    expect((await readStopEvents(dataDir, toSourceId('b'), DAY, 'is_counted'))[0]).toEqual({ is_counted: true });
    await run(dataDir);
    expect((await readStopEvents(dataDir, toSourceId('b'), DAY, 'is_counted'))[0]).toEqual({ is_counted: false });
  },
);

it('months that are built concurrently give the same result as in sequence', async () => {
  const months = ['2025-11', '2025-12', '2026-01', '2026-02'];
  const range = ['--from', '2025-11-01', '--to', '2026-02-28'];
  const build = async (...options: string[]) => {
    const dataDir = await temporaryFolder();
    for (const month of months) {
      for (const source of ['a', 'b']) await publishDay(dataDir, source, `${month}-10`, [{ utc_offset_minutes: 60 }]);
    }
    const { code, stdout } = await run(dataDir, ...range, ...options);
    expect([code, stdout]).toEqual([0, expect.stringContaining('4 of 4 months done; history ')]);
    const counted = await readStopEvents(dataDir, toSourceId('b'), '2026-02-10' as ServiceDate, 'is_counted');
    expect(counted).toEqual([{ is_counted: false }]);
    return hashFiles(dataDir, (file) => /^(marts|snapshots)/.test(file));
  };
  const inTurn = await build();
  expect(inTurn.size).toBeGreaterThan(30);
  expect(await build('--concurrency', '3')).toEqual(inTurn);
});

it('does nothing in an empty lake', async () => {
  const dataDir = await temporaryFolder();
  expect((await run(dataDir)).code).toBe(0);
  expect(await run(dataDir, '--exit-code')).toMatchObject({ code: 3 });
});

describe('on Trino', () => {
  const noWorkers: StubAnswer = {
    error: { errorName: 'NO_NODES_AVAILABLE', errorType: 'INSUFFICIENT_RESOURCES', message: 'no workers' },
  };

  it('a retried month is built of the current stop events', async () => {
    const dataDir = await twoDays();
    const stub = await startStubTrino(() => noWorkers);
    const lock = await acquireLocks(dataDir, 'publish-iceberg', ['iceberg'], systemClock);
    const world = fakeEffects();
    const effects = {
      ...world,
      sleep: (...wait: Parameters<typeof world.sleep>) => lock.release().then(() => world.sleep(...wait)),
    };
    const environment = { TAKTGEBER_ENGINE: 'trino', TAKTGEBER_TRINO_URL: stub.url };
    const range = ['--from', '2026-01-01', '--to', '2026-02-28'];
    const { stderr } = await runCommand(['run', 'build-marts', ...range], { dataDir, environment, effects });
    expect(stderr).toContain('there is no Iceberg table of the stop events');
    expect(stub.statements[0]?.sql).toMatch(/for version as of \d+/);
  });

  it.each<[how: string, options: string[]]>([
    ['in one piece', []],
    ['month by month', ['--from', '2026-01-01', '--to', '2026-02-28']],
  ])('publishes the history %s although a table of the marts is damaged', async (_how, options) => {
    const dataDir = await twoDays();
    await run(dataDir);
    await runCommand(['run', 'publish-iceberg'], { dataDir });
    await rm(historySnapshotsFolder(dataDir), { recursive: true });
    const { definition } = listLakehouseTables().find((table) => table.definition.name === 'line_daily')!;
    await writeFile(path.join(metadataFolder(toTableFolder(dataDir, null, definition)), 'v1.metadata.json'), '{');
    const stub = await startStubTrino(() => noWorkers);
    const environment = { TAKTGEBER_ENGINE: 'trino', TAKTGEBER_TRINO_URL: stub.url };
    const { code, stderr } = await runCommand(['run', 'build-marts', ...options], { dataDir, environment });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/; the Iceberg tables of the marts are pending: .* is damaged/),
    ]);
    expect(await findCurrentHistoryId(dataDir)).not.toBeNull();
  });

  it('a month that is stopped at its limit does not stop others', async () => {
    const dataDir = await twoDays();
    const stub = await startStubTrino(() => ({ hangAt: 0 }));
    const config = await testConfig(dataDir);
    const trino = { ...config.trino, url: stub.url };
    const context: JobContext = {
      config: { ...config, engine: 'trino', trino },
      effects: fakeEffects(),
      options: { ...noOptions, from: DAY, to: '2026-02-28' as ServiceDate },
    };
    const { runUnit } = await buildMartsJob().division!.plan(context);
    const limits = [new AbortController(), new AbortController()];
    const [first, second] = ['2026-01', '2026-02'].map((name, i) =>
      runUnit!({ ...context, stopping: limits[i]!.signal }, { name, options: {} }),
    );
    await expect.poll(() => stub.statements.length, { timeout: 90_000 }).toBe(2);
    limits[0]!.abort(new Error('the limit of January'));
    await expect(first).rejects.toThrow('the limit of January');
    limits[1]!.abort(new Error('the limit of February'));
    await expect(second).rejects.toThrow('the limit of February');
  });
});
