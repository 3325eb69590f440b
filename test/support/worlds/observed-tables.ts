import path from 'node:path';
import { type Duckdb, openDuckdb } from '../../../pipeline/effects/duckdb.ts';
import { withTemporaryFolder } from '../../../pipeline/effects/temporary-folders.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import { type Instant, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { featureColumns } from '../../../pipeline/predictions/features/instant-rows.ts';
import { type FeatureManifest, publishFeatures } from '../../../pipeline/predictions/learning/feature-store.ts';
import type { LearningSet } from '../../../pipeline/predictions/learning/make-features.ts';
import { storePredictions } from '../../../pipeline/predictions/live/prediction-store.ts';
import { metricTables } from '../../../pipeline/predictions/measured/metric-tables.ts';
import { storeMetricRows } from '../../../pipeline/predictions/measured/store-metric-rows.ts';
import { build, publishDay } from './marts.ts';
import { answer, at, muchLater, observation, openStore, today } from './observations.ts';

export const LIVE = toSourceId('live');

/** Writes rows into every table except those of timetables, with the code of the service. */
export async function writeObservedTables(dataDir: string): Promise<void> {
  const store = await openStore(dataDir);
  await store.append(answer(10, { observations: [observation({ recordedAt: at(1) })] }));
  await store.flush(muchLater);
  await store.close();
  await publishDay(dataDir, LIVE, today, everyCall());
  await build(dataDir);
  await withTemporaryFolder(workFolder(dataDir), async (folder) => {
    const db = await openDuckdb({ threads: 1 });
    try {
      await storePredictions(db, dataDir, folder, LIVE, [prediction]);
      await publishOneFeature(db, dataDir, path.join(folder, 'features'));
      for (const table of Object.keys(metricTables) as (keyof typeof metricTables)[]) {
        const row = { service_date: today, source: LIVE, pairs_of: 'all', unit: 'raw' };
        await storeMetricRows(db, { dataDir, folder, table, source: LIVE, serviceDate: today }, [row]);
      }
    } finally {
      db.close();
    }
  });
}

/** Publishes one pair of calls as the features of the source, with their manifest. */
export async function publishOneFeature(db: Duckdb, dataDir: string, folder: string): Promise<FeatureManifest> {
  return publishFeatures(db, {
    dataDir,
    folder,
    set: learningSet,
    trips: ['t1'],
    facts: {
      sourceId: LIVE,
      firstDay: today,
      lastDay: today,
      days: 1,
      hash: 'x',
      implausible: { early: 0, unordered: 0 } as never,
      builtAt: '2026-01-16T04:00:00.000Z',
    },
  });
}

/** Twenty transfers between two lines, half of them missed, so that the worst connections are known. */
function everyCall() {
  const time = (seconds: number) => new Date((at(0) + seconds) * 1000).toISOString();
  const row = { station_id: 'S', utc_offset_minutes: 60, product: 'tram', operator: 'City', trip_number: 'A 1' };
  return Array.from({ length: 20 }, (_, i) => {
    const late = i < 10 ? 600 : 0;
    const arrival = { event: 'arrival', position: 1, stop_id: 'a', line_label: 'A', trip_id: `a${i}`, trip_key: i };
    const departure = {
      event: 'departure',
      position: 0,
      stop_id: 'b',
      line_label: 'B',
      trip_id: `b${i}`,
      trip_key: -i,
    };
    return [
      {
        ...row,
        ...arrival,
        scheduled_time: time(2000 * i),
        observed_time: time(2000 * i + late),
        delay_seconds: late,
      },
      {
        ...row,
        ...departure,
        scheduled_time: time(2000 * i + 300),
        observed_time: time(2000 * i + 300),
        delay_seconds: 0,
        scheduled_departure_time: time(2000 * i + 300),
      },
    ];
  }).flat();
}

const prediction = {
  day: toEpochDay(today as ServiceDate),
  tripId: 't1',
  madeAt: at(60) as Instant,
  model: 'm',
  fromPosition: 0,
  observedAt: at(30),
  isFromPosition: false,
  delaySeconds: 30,
  position: 1,
  low: 0,
  median: 30,
  high: 60,
  priors: [1, 2, 3, 4, 5, 6],
};

/** One pair, with the members of a learning set that are written. */
const learningSet = {
  table: {
    gridSeconds: 1,
    serviceDay: Int32Array.of(toEpochDay(today as ServiceDate)),
    train: Int32Array.of(0),
    sequence: Int32Array.of(0, 1),
    arrivalTime: Float64Array.of(at(0), at(600)),
    departureTime: Float64Array.of(at(30), at(630)),
    arrivalOffset: Uint8Array.of(0, 0),
  },
  pairs: {
    count: 1,
    datedTrip: Int32Array.of(0),
    from: Int32Array.of(0),
    to: Int32Array.of(1),
    isStanding: Uint8Array.of(0),
  },
  roles: Uint8Array.of(1),
  features: {
    columns: featureColumns,
    values: new Float32Array(featureColumns.length).fill(1),
    offsets: Int32Array.of(0),
  },
  horizonSeconds: Float32Array.of(570),
  current: Float32Array.of(30),
  truth: Float32Array.of(0),
} as unknown as LearningSet;
