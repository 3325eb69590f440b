import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { countDays } from '../../../pipeline/history/stop-events/count-days.ts';
import { stopEventFile } from '../../../pipeline/history/stop-events/stop-event-manifest.ts';
import { removeStopEvents } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { stopEventPartition } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { runCommand } from '../../jobs/fake-world.ts';
import { assertAsTheOracle, openStopEvents } from '../../support/oracles/counted-calls.ts';
import { denyCounted } from '../../support/worlds/deny-counted.ts';
import { rewriteInSchema1 } from '../../support/worlds/former-schema.ts';
import { temporaryFolder } from '../../support/worlds/ingest.ts';
import { publishDay } from '../../support/worlds/marts.ts';
import type { StopEventRow } from '../../support/worlds/stop-events.ts';

const sources = ['a', 'b', 'c'] as const;
const days = ['2026-01-15', '2026-01-16'] as const;
type Source = (typeof sources)[number];
type Day = (typeof days)[number];

const count = (dataDir: string, from: Day | null = null) =>
  countDays({
    dataDir,
    settings: { memoryLimit: '256MB', threads: 1 },
    from: from as ServiceDate | null,
    to: null,
    log: { progress: () => {}, warn: () => {} },
  });
const fileOf = (dataDir: string, source: Source, day: Day) =>
  stopEventFile(dataDir, toSourceId(source), day as ServiceDate);

// ---- Random lakes ------------------------------------------------------------------------------

const arbitraryRow: fc.Arbitrary<StopEventRow> = fc.record({
  trip_id: fc.constantFrom('t1', 't2', 't3', 't4'),
  position: fc.integer({ min: 0, max: 3 }),
  feed_source: fc.constantFrom('city', 'city', 'land', null),
  evidence: fc.constantFrom('observed_actual', 'forecast', 'unknown'),
  arrival_is_cancelled: fc.constantFrom(false, false, true),
  departure_is_cancelled: fc.constantFrom(false, false, true),
  event: fc.constantFrom('arrival', 'departure'),
  is_added: fc.constantFrom(false, false, false, true),
  line_label: fc.constantFrom('U1', 'S1', null),
  delay_seconds: fc.integer({ min: -60, max: 600 }),
  utc_offset_minutes: fc.constant(60),
});
const arbitraryRows = fc.uniqueArray(arbitraryRow, {
  maxLength: 20,
  selector: ({ trip_id, position, feed_source }) => `${trip_id} ${position} ${feed_source}`,
});
const ofSource = { source: fc.constantFrom(...sources), day: fc.constantFrom(...days) };
/** Changes of a lake, one after the other. */
const arbitrarySteps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ what: fc.constant('publish' as const), ...ofSource, rows: arbitraryRows }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('remove' as const), ...ofSource }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('age' as const), ...ofSource }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('count' as const), day: fc.constantFrom(null, ...days) }) },
  ),
  { minLength: 2, maxLength: 9 },
);
type Step = typeof arbitrarySteps extends fc.Arbitrary<(infer One)[]> ? One : never;

async function take(dataDir: string, step: Step): Promise<void> {
  if (step.what === 'publish') return publishDay(dataDir, step.source, step.day, step.rows);
  if (step.what === 'remove') return removeStopEvents(dataDir, toSourceId(step.source), step.day as ServiceDate);
  if (step.what === 'count') return void (await count(dataDir, step.day));
  const isThere = await readFile(fileOf(dataDir, step.source, step.day)).catch(() => null);
  if (isThere) await rewriteInSchema1([fileOf(dataDir, step.source, step.day)]);
}

it('yields the rows of the window function, whatever was published, dropped and counted before', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const dataDir = await temporaryFolder();
      await publishDay(dataDir, 'a', days[0], [{ utc_offset_minutes: 60 }]);
      for (const step of steps) await take(dataDir, step);
      if (!steps.some(({ what }) => what !== 'remove')) return;
      const query = await openStopEvents(dataDir);
      await assertAsTheOracle(query);
      await count(dataDir);
      await assertAsTheOracle(await openStopEvents(dataDir));
    }),
    { numRuns: 15 },
  );
});

// ---- Single cases ------------------------------------------------------------------------------

const unknown = { evidence: 'unknown', delay_seconds: null, observed_time: null };
const trip = (trip_id: string, reported: StopEventRow = {}) => ({ utc_offset_minutes: 60, trip_id, ...reported });

/** Made once, and copied for each case. */
let template: Promise<string> | null = null;
afterAll(async () => {
  if (template !== null) await rm(await template, { recursive: true });
});

/** Two sources on two days, counted together: b has better evidence of `t1`, a of `t2`. */
async function countedLake(): Promise<string> {
  template ??= makeCountedLake();
  const dataDir = await temporaryFolder();
  await cp(await template, dataDir, { recursive: true });
  return dataDir;
}

async function makeCountedLake(): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-counted-'));
  for (const day of days) {
    await publishDay(dataDir, 'a', day, [trip('t1', unknown), trip('t2'), trip('t3')]);
    await publishDay(dataDir, 'b', day, [trip('t1'), trip('t2', unknown)]);
  }
  expect(await count(dataDir)).toEqual(days);
  return dataDir;
}

const COUNT = 'select service_date::varchar, count(*)::int from counted_calls group by all order by all';

describe('for days whose files refer to each other', () => {
  it('the column is read, and nothing is compared', async () => {
    const dataDir = await countedLake();
    await denyCounted(fileOf(dataDir, 'a', days[0]));
    expect(await (await openStopEvents(dataDir))(COUNT)).toEqual([
      [days[0], 1],
      [days[1], 3],
    ]);
  });
});

describe('calls are compared at query time, only for that day,', () => {
  const cases: readonly [name: string, change: (dataDir: string) => Promise<unknown>, counted: number][] = [
    ['if a source was finalised again', (dataDir) => publishDay(dataDir, 'b', days[0], [trip('t3')]), 3],
    [
      'if it was finalised again to the same rows',
      (dataDir) => publishDay(dataDir, 'b', days[0], [trip('t1'), trip('t2', unknown)]),
      3,
    ],
    ['if a source is new', (dataDir) => publishDay(dataDir, 'c', days[0], [trip('t1'), trip('t9')]), 4],
    ['if a source was dropped', (dataDir) => removeStopEvents(dataDir, toSourceId('b'), days[0] as ServiceDate), 3],
    [
      'if a partition was deleted manually',
      (dataDir) => rm(stopEventPartition(dataDir, toSourceId('a'), days[0] as ServiceDate), { recursive: true }),
      2,
    ],
    ['if one file has neither name nor column', (dataDir) => rewriteInSchema1([fileOf(dataDir, 'a', days[0])]), 3],
    [
      'if no file has',
      (dataDir) => rewriteInSchema1([fileOf(dataDir, 'a', days[0]), fileOf(dataDir, 'b', days[0])]),
      3,
    ],
    [
      'if a file came from another lake',
      async (dataDir) => cp(fileOf(await countedLake(), 'a', days[1]), fileOf(dataDir, 'a', days[0])),
      3,
    ],
  ];
  it.each(cases)('%s', async (_, change, counted) => {
    const dataDir = await countedLake();
    await change(dataDir);
    const query = await openStopEvents(dataDir);
    await assertAsTheOracle(query);
    expect(await query(COUNT)).toEqual([
      [days[0], counted],
      [days[1], 3],
    ]);
    // The column of the other day is still read.
    await denyCounted(fileOf(dataDir, 'a', days[1]));
    expect((await query(COUNT))[1]).toEqual([days[1], 1]);
  });
});

it('a DuckDB that stays open reads the changes', async () => {
  const dataDir = await countedLake();
  const query = await openStopEvents(dataDir);
  await publishDay(dataDir, 'c', days[0], [trip('t9')]);
  expect(await assertAsTheOracle(query)).toBe(7);
  await count(dataDir);
  expect(await assertAsTheOracle(query)).toBe(7);
  await removeStopEvents(dataDir, toSourceId('a'), days[0] as ServiceDate);
  expect(await assertAsTheOracle(query)).toBe(6);
});

it('one opened before any file had the column is correct once they have it', async () => {
  const dataDir = await countedLake();
  const files = days.flatMap((day) => [fileOf(dataDir, 'a', day), fileOf(dataDir, 'b', day)]);
  await rewriteInSchema1(files);
  const query = await openStopEvents(dataDir);
  expect(await assertAsTheOracle(query)).toBe(6);
  await count(dataDir);
  expect(await assertAsTheOracle(query)).toBe(6);
});

it.each(['counted', 'changed', 'old'])('taktgeber sql has the same view of a lake that is %s', async (kind) => {
  const dataDir = await countedLake();
  if (kind === 'changed') await publishDay(dataDir, 'c', days[0], [trip('t9')]);
  if (kind === 'old')
    await rewriteInSchema1(days.flatMap((day) => [fileOf(dataDir, 'a', day), fileOf(dataDir, 'b', day)]));
  const query = await openStopEvents(dataDir);
  const question = 'select source, service_date::varchar as day, trip_id, is_observed from counted_calls order by all';
  const { stdout, code } = await runCommand(['sql', '--json', question], { dataDir });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).map(Object.values)).toEqual(await query(question));
});
