import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { metricTables } from '../../../pipeline/predictions/measured/metric-tables.ts';
import { storeMetricRows } from '../../../pipeline/predictions/measured/store-metric-rows.ts';
import {
  findCurrentPredictionMetricsId,
  predictionMetricsFolder,
  predictionMetricsTables,
  readPredictionMetricsManifest,
} from '../../../pipeline/snapshots/prediction-metrics-contract.ts';
import { publishPredictionMetrics } from '../../../pipeline/snapshots/publish-prediction-metrics.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';

const publish = (dataDir: string) =>
  publishPredictionMetrics(
    { dataDir, keepSnapshots: 2, duckdb: { threads: 1, memoryLimit: '256MB' } },
    { clock: fixedClock('2026-03-03T04:00:00Z'), log: silentLog },
  );

async function store(dataDir: string, source: string, serviceDate: string) {
  const row = { service_date: serviceDate, source, pairs: 3 };
  await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({ threads: 1 });
    try {
      await storeMetricRows(db, { dataDir, folder, table: 'prediction_daily', source, serviceDate }, [row]);
    } finally {
      db.close();
    }
  });
}

test('the tables are those that the job writes', () => {
  expect([...predictionMetricsTables].sort()).toEqual(Object.keys(metricTables).sort());
});

test('a snapshot lists its sources and their days; equal metrics are published once', async () => {
  const dataDir = await temporaryFolder();
  expect(await findCurrentPredictionMetricsId(dataDir)).toBeNull();
  await store(dataDir, 'live', '2026-03-01');
  await store(dataDir, 'live', '2026-02-27');
  await store(dataDir, 'bus', '2026-03-01');
  const { id, isUnchanged } = await publish(dataDir);
  expect(isUnchanged).toBe(false);
  expect(await findCurrentPredictionMetricsId(dataDir)).toBe(id);
  const manifest = await readPredictionMetricsManifest(dataDir, id);
  expect(manifest).toMatchObject({
    kind: 'predictions',
    createdAt: '2026-03-03T04:00:00.000Z',
    sources: [
      { source: 'bus', firstDate: '2026-03-01', lastDate: '2026-03-01' },
      { source: 'live', firstDate: '2026-02-27', lastDate: '2026-03-01' },
    ],
  });
  expect(manifest.files.map(({ table, month }) => `${table} ${month}`)).toEqual([
    'prediction_daily 2026-02',
    'prediction_daily 2026-03',
  ]);
  expect(await publish(dataDir)).toEqual({ id, isUnchanged: true });
  await store(dataDir, 'live', '2026-03-02');
  expect((await publish(dataDir)).id).not.toBe(id);
  expect((await readdir(predictionMetricsFolder(dataDir))).filter((name) => name !== 'current.json')).toHaveLength(2);
});
