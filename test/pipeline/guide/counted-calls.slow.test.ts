import { cp, readFile, rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

// ---- At random ---------------------------------------------------------------------------------

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
/** What may happen to a lake, one after the other. */
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

it('yields what the window yields, whatever was published, dropped and counted before', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const dataDir = await temporaryFolder();
      await publishDay(dataDir, 'a', days[0], [{ utc_offset_minutes: 60 }]);
      for (const step of steps) await take(dataDir, step);
      if (!steps.some(({ what }) => what !== 'remove')) return;
      const ask = await openStopEvents(dataDir);
      await assertAsTheOracle(ask);
      await count(dataDir);
      await assertAsTheOracle(await openStopEvents(dataDir));
    }),
    { numRuns: 15 },
  );
});

// ---- One by one --------------------------------------------------------------------------------

const unknown = { evidence: 'unknown', delay_seconds: null, observed_time: null };
const trip = (trip_id: string, said: StopEventRow = {}) => ({ utc_offset_minutes: 60, trip_id, ...said });

/** Two sources on two days, looked at together: of `t1` b knows more, of `t2` a. */
async function countedLake(): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const day of days) {
    await publishDay(dataDir, 'a', day, [trip('t1', unknown), trip('t2'), trip('t3')]);
    await publishDay(dataDir, 'b', day, [trip('t1'), trip('t2', unknown)]);
  }
  expect(await count(dataDir)).toEqual(days);
  return dataDir;
}

const COUNT = 'select service_date::varchar, count(*)::int from counted_calls group by all order by all';

describe('of days whose files name each other', () => {
  it('the column is read, and nothing is compared', async () => {
    const dataDir = await countedLake();
    await denyCounted(fileOf(dataDir, 'a', days[0]));
    expect(await (await openStopEvents(dataDir))(COUNT)).toEqual([
      [days[0], 1],
      [days[1], 3],
    ]);
  });
});

describe('calls are compared as the question is asked, of that day alone,', () => {
  const cases: readonly [name: string, change: (dataDir: string) => Promise<unknown>, counted: number][] = [
    ['where a source was finalised again', (dataDir) => publishDay(dataDir, 'b', days[0], [trip('t3')]), 3],
    [
      'where it was finalised again to the same rows',
      (dataDir) => publishDay(dataDir, 'b', days[0], [trip('t1'), trip('t2', unknown)]),
      3,
    ],
    ['where a source is new', (dataDir) => publishDay(dataDir, 'c', days[0], [trip('t1'), trip('t9')]), 4],
    ['where a source was dropped', (dataDir) => removeStopEvents(dataDir, toSourceId('b'), days[0] as ServiceDate), 3],
    [
      'where a partition was deleted by hand',
      (dataDir) => rm(stopEventPartition(dataDir, toSourceId('a'), days[0] as ServiceDate), { recursive: true }),
      2,
    ],
    ['where one file has neither name nor column', (dataDir) => rewriteInSchema1([fileOf(dataDir, 'a', days[0])]), 3],
    [
      'where no file has',
      (dataDir) => rewriteInSchema1([fileOf(dataDir, 'a', days[0]), fileOf(dataDir, 'b', days[0])]),
      3,
    ],
    [
      'where a file came from another lake',
      async (dataDir) => cp(fileOf(await countedLake(), 'a', days[1]), fileOf(dataDir, 'a', days[0])),
      3,
    ],
  ];
  it.each(cases)('%s', async (_, change, counted) => {
    const dataDir = await countedLake();
    await change(dataDir);
    const ask = await openStopEvents(dataDir);
    await assertAsTheOracle(ask);
    expect(await ask(COUNT)).toEqual([
      [days[0], counted],
      [days[1], 3],
    ]);
    // Of the other day the column is still read.
    await denyCounted(fileOf(dataDir, 'a', days[1]));
    expect((await ask(COUNT))[1]).toEqual([days[1], 1]);
  });
});

it('a DuckDB that stays open sees what changes', async () => {
  const dataDir = await countedLake();
  const ask = await openStopEvents(dataDir);
  await publishDay(dataDir, 'c', days[0], [trip('t9')]);
  expect(await assertAsTheOracle(ask)).toBe(7);
  await count(dataDir);
  expect(await assertAsTheOracle(ask)).toBe(7);
  await removeStopEvents(dataDir, toSourceId('a'), days[0] as ServiceDate);
  expect(await assertAsTheOracle(ask)).toBe(6);
});

it('one that was opened when no file had the column is right when they have it', async () => {
  const dataDir = await countedLake();
  const files = days.flatMap((day) => [fileOf(dataDir, 'a', day), fileOf(dataDir, 'b', day)]);
  await rewriteInSchema1(files);
  const ask = await openStopEvents(dataDir);
  expect(await assertAsTheOracle(ask)).toBe(6);
  await count(dataDir);
  expect(await assertAsTheOracle(ask)).toBe(6);
});

it.each(['counted', 'changed', 'old'])('taktgeber sql has the same view of a lake that is %s', async (kind) => {
  const dataDir = await countedLake();
  if (kind === 'changed') await publishDay(dataDir, 'c', days[0], [trip('t9')]);
  if (kind === 'old')
    await rewriteInSchema1(days.flatMap((day) => [fileOf(dataDir, 'a', day), fileOf(dataDir, 'b', day)]));
  const ask = await openStopEvents(dataDir);
  const question = 'select source, service_date::varchar as day, trip_id, is_observed from counted_calls order by all';
  const { stdout, code } = await runCommand(['sql', '--json', question], { dataDir });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).map(Object.values)).toEqual(await ask(question));
});
