import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import {
  buildPredictionMetrics,
  type UnitMetrics,
} from '../../pipeline/predictions/measured/build-prediction-metrics.ts';
import {
  buildSnapshotFeatures,
  chooseSnapshotPairs,
  type SnapshotPairs,
  snapshotColumns,
} from '../evaluation/hu-snapshots/build-snapshot-features.ts';
import { huSnapshotsLayout, loadHuSnapshots, POSITIONS_CUT } from '../evaluation/hu-snapshots/hu-snapshots-layout.ts';
import type { SnapshotTable } from '../evaluation/hu-snapshots/snapshot-table.ts';
import { realData } from '../support/worlds/real-data.ts';

const snapshots = realData('delays/hu_snapshots_2024-12-13_19.parquet');
const finals = realData('delays/hu_final_2024-12-13_19.parquet');
const positions = realData('delays/hu_live_positions_2024-12.parquet');
const date = (text: string) => text as ServiceDate;
const window = { from: date('2024-12-13'), testFrom: date('2024-12-18'), testTo: date('2024-12-19') };

/** An instant of the second morning of the test, and its text in a query on UTC times. */
const STOP = Date.UTC(2024, 11, 18, 6, 30) / 1000;
const STOP_SQL = "timestamp '2024-12-18 06:30:00'";

let db: Duckdb;
let folder: string;

beforeAll(async () => {
  db = await openDuckdb({ threads: 2, memoryLimit: '1GB' });
  folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-hu-'));
});

afterAll(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

/** The pairs of the hours before the end with their features, as text, because row numbers depend on what is loaded. */
function describePairs(table: SnapshotTable, pairs: SnapshotPairs): string[] {
  const { values } = buildSnapshotFeatures(table, pairs);
  const width = snapshotColumns.length;
  return Array.from({ length: pairs.count }, (_, pair) => {
    const at = table.polledAt[pairs.snapshot[pair]!]!;
    if (at > STOP || at < STOP - 14_400) return '';
    const facts = [at, pairs.current[pair], pairs.horizonSeconds[pair], pairs.truth[pair]];
    return [...facts, ...values.subarray(pair * width, (pair + 1) * width)].join(' ');
  }).filter((text) => text !== '');
}

describe('snapshots of Hungarian trains', () => {
  it('give the same features when the archive ends at the poll', async () => {
    const companions = { finals, positions: [positions] };
    const cut = { data: path.join(folder, 'cut.parquet'), positions: path.join(folder, 'cut-positions.parquet') };
    await db.run(`copy (from read_parquet(${sqlText(snapshots)}) where req_utc <= ${STOP_SQL}) to ${sqlText(cut.data)};
      copy (from read_parquet(${sqlText(positions)}) where obs_utc <= ${STOP_SQL}) to ${sqlText(cut.positions)}`);
    const whole = await loadHuSnapshots(db, snapshots, companions, window);
    const expected = describePairs(whole, chooseSnapshotPairs(whole));
    const ended = await loadHuSnapshots(db, cut.data, { finals, positions: [cut.positions] }, window);
    const found = describePairs(ended, chooseSnapshotPairs(ended));
    expect(found.length).toBeGreaterThan(10_000);
    expect(found.length).toBe(expected.length);
    expect(found.filter((text, pair) => text !== expected[pair])).toEqual([]);
  });

  it('are predicted better than by persistence in every bucket, with and without vehicle positions', async () => {
    const options = { hasAblation: false, onStep: () => {}, companions: { finals, positions: [positions] } };
    const results = await huSnapshotsLayout.evaluate(db, snapshots, window, options);
    const metrics: UnitMetrics = buildPredictionMetrics(huSnapshotsLayout.buckets, results[0]!);
    const [all, ...slices] = metrics.errors;
    const buckets = slices.filter(({ slice }) => huSnapshotsLayout.buckets.some(({ name }) => name === slice));
    expect(all!.meanError.persistence!.toFixed(0)).toBe('179');
    expect(all!.againstPersistence.ours!).toBeLessThan(-0.3);
    expect(buckets).toHaveLength(6);
    for (const { againstPersistence } of buckets) {
      expect(againstPersistence.ours!).toBeLessThan(-0.18);
      expect(againstPersistence[POSITIONS_CUT]!).toBeLessThan(-0.15);
    }
    for (const { slice, forecaster, covered } of metrics.intervals) {
      if (forecaster !== 'ours' && forecaster !== POSITIONS_CUT) continue;
      expect(covered!).toBeGreaterThan(slice === 'all' ? 0.78 : 0.75);
      expect(covered!).toBeLessThan(slice === 'all' ? 0.82 : 0.85);
    }
  });
});
