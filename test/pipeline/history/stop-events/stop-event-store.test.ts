import { rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDuckdb } from '../../../../pipeline/effects/duckdb.ts';
import { withPublicationGuard } from '../../../../pipeline/effects/publication-guard.ts';
import {
  findStopEventManifest,
  listStopEventDays,
  publishStopEvents,
  removeStopEvents,
  type StopEventFacts,
} from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { stopEventColumns } from '../../../../pipeline/history/stop-events/stop-event-table.ts';
import { stopEventPartition } from '../../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  cancelCall,
  dayFacts,
  readStopEvents,
  type StopEventRow,
  selectRows,
} from '../../../support/worlds/stop-events.ts';

const live = toSourceId('live');
const day = '2026-01-15' as ServiceDate;

async function openLake() {
  const dataDir = await temporaryFolder();
  const db = await openDuckdb({ threads: 1 });
  onTestFinished(() => db.close());
  let runs = 0;
  const publish = (rows: readonly StopEventRow[], facts: Partial<StopEventFacts> = {}) =>
    publishStopEvents(
      db,
      dataDir,
      path.join(dataDir, 'tmp', String(runs++)),
      selectRows(rows),
      dayFacts({ rowsIn: rows.length, ...facts }),
    );
  return { db, dataDir, publish };
}

/** A trip of three lines: rows that differ in every column of the order. */
const someRows: readonly StopEventRow[] = [
  { line_label: null, trip_id: 't0' },
  { line_label: 'U1', trip_id: 't1' },
  { line_label: 'U1', trip_id: 't1', position: 1, ...cancelCall(), delay_seconds: null },
  { line_label: 'U2', trip_id: 't2', evidence: 'forecast', observed_time: null, delay_seconds: null },
  { line_label: 'U2', trip_id: 't2', position: 1, evidence: 'unknown', observed_time: null, delay_seconds: null },
  { line_label: 'U3', trip_id: 't3', is_added: true, feed_source: null },
];

describe('publishing a day', () => {
  it('writes the documented columns, sorted, and a manifest with counts', async () => {
    const { dataDir, publish } = await openLake();
    const manifest = await publish([...someRows].reverse(), { rowsIn: 8, refused: { no_stop: 2 } });
    const counts = { scheduled: 5, observed: 2, forecast: 1, cancelled: 1, added: 1 };
    expect(manifest).toMatchObject({ rows: 6, rowsIn: 8, refused: { no_stop: 2 }, counts });
    expect(await findStopEventManifest(dataDir, live, day)).toEqual(manifest);
    const rows = await readStopEvents(dataDir, live, day);
    expect(Object.keys(rows[0]!)).toEqual(Object.keys(stopEventColumns));
    expect(rows.map(({ trip_id, position }) => `${trip_id}.${position}`)).toEqual([
      't1.0',
      't1.1',
      't2.0',
      't2.1',
      't3.0',
      't0.0',
    ]);
  });

  it('gives equal rows an equal hash in any order, and different rows another', async () => {
    const { publish } = await openLake();
    const { rowsHash } = await publish(someRows);
    expect(rowsHash).toMatch(/^[0-9a-f]{32}$/);
    const anyOrder = fc.shuffledSubarray([...someRows], { minLength: someRows.length });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (rows) => (await publish(rows)).rowsHash === rowsHash),
      { numRuns: 10 },
    );
    expect((await publish(someRows.slice(1))).rowsHash).not.toBe(rowsHash);
  });

  it('changes and removes nothing if the job may no longer publish', async () => {
    const { dataDir, publish } = await openLake();
    const manifest = await publish(someRows);
    const guard = async () => {
      throw new Error('the locks are lost');
    };
    for (const act of [() => publish(someRows.slice(1)), () => removeStopEvents(dataDir, live, day)]) {
      await expect(withPublicationGuard(guard, async () => void (await act()))).rejects.toThrow('the locks are lost');
      expect(await findStopEventManifest(dataDir, live, day)).toEqual(manifest);
      expect((await readStopEvents(dataDir, live, day)).length).toBe(someRows.length);
    }
  });

  // A value that moves into the next column, or into its neighbour's text, is another row.
  it.each<[reason: string, StopEventRow, StopEventRow]>([
    ['distinguishes a text from null', { platform: '' }, { platform: null }],
    ['separates neighbouring values', { stop_id: 'ab', stop_name: 'c' }, { stop_id: 'a', stop_name: 'bc' }],
    ['assigns a value to its column', { route_id: 'x', line_label: null }, { route_id: null, line_label: 'x' }],
    ['includes every second', { delay_seconds: 330 }, { delay_seconds: 329 }],
    ['includes every bit of a coordinate', { lat: 48.1 }, { lat: 48.10000000000001 }],
  ])('%s', async (_reason, one, other) => {
    const { publish } = await openLake();
    expect((await publish([one])).rowsHash).not.toBe((await publish([other])).rowsHash);
  });

  it('keeps the hash of the same rows across releases', async () => {
    const { publish } = await openLake();
    expect((await publish(someRows)).rowsHash).toMatchInlineSnapshot(`"998a5ace6883dab969b9bb14a7bbf11c"`);
  });

  it('accepts a day without rows', async () => {
    const { dataDir, publish } = await openLake();
    expect(await publish([{}])).toMatchObject({ rows: 1 });
    const { db } = await openLake();
    const none = `select * from (${selectRows([{}])}) where false`;
    const manifest = await publishStopEvents(
      db,
      dataDir,
      path.join(dataDir, 'tmp', 'x'),
      none,
      dayFacts({ rowsIn: 0 }),
    );
    expect(manifest).toMatchObject({ rows: 0, counts: { scheduled: 0, added: 0 } });
    expect(await readStopEvents(dataDir, live, day)).toEqual([]);
  });

  it.each<[reason: string, rows: StopEventRow[], facts: Partial<StopEventFacts>, message: string]>([
    ['rows that were lost uncounted', [{}], { rowsIn: 2 }, '2 rows came in, 1 were written'],
    ['rows counted that exist', [{}], { rowsIn: 1, refused: { no_stop: 1 } }, '1 refused'],
    ['a call with two rows', [{ platform: '1' }, { platform: '2' }], {}, 'call 0 of trip "t1" is there 2 times'],
  ])('rejects %s, and leaves the day unchanged', async (_reason, rows, facts, message) => {
    const { dataDir, publish } = await openLake();
    const before = await publish([{ trip_id: 'before' }]);
    await expect(publish(rows, facts)).rejects.toThrow(message);
    expect(await findStopEventManifest(dataDir, live, day)).toEqual(before);
    expect(await readStopEvents(dataDir, live, day, 'trip_id')).toEqual([{ trip_id: 'before' }]);
  });
});

describe('finished days', () => {
  const other = toSourceId('other');
  const next = '2026-01-16' as ServiceDate;

  it('are listed by source and date', async () => {
    const { dataDir, publish } = await openLake();
    expect(await listStopEventDays(dataDir)).toEqual([]);
    await publish([{}], { sourceId: other });
    await publish([{}], { serviceDate: next });
    await publish([{}]);
    expect(await listStopEventDays(dataDir)).toEqual([
      { source: live, serviceDate: day },
      { source: live, serviceDate: next },
      { source: other, serviceDate: day },
    ]);
  });

  it('are absent when their rows are gone, or when they were removed', async () => {
    const { dataDir, publish } = await openLake();
    await publish([{}]);
    await publish([{}], { serviceDate: next });
    await rm(stopEventPartition(dataDir, live, day), { recursive: true });
    expect(await findStopEventManifest(dataDir, live, day)).toBeNull();
    expect(await listStopEventDays(dataDir)).toEqual([{ source: live, serviceDate: next }]);
    await removeStopEvents(dataDir, live, next);
    await removeStopEvents(dataDir, live, next);
    expect(await listStopEventDays(dataDir)).toEqual([]);
  });
});
