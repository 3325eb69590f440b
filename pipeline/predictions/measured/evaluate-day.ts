import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Duckdb, readSql, sqlPath } from '../../effects/duckdb.ts';
import { listNames, writeJsonAtomically } from '../../effects/files.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { findStopEventManifest, stopEventFile } from '../../history/stop-events/stop-event-manifest.ts';
import { isCallCancelled, selectStopEvents } from '../../history/stop-events/stop-event-table.ts';
import { listObservationFiles } from '../../lake/observations/partition-files.ts';
import { measuredDayFile, predictionsFolder } from '../../lake/paths.ts';
import { listPredictionFiles } from '../../lake/predictions/prediction-files.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { floorToMinute } from '../features/dated-trip-table.ts';
import { countImplausible, findImplausibleCalls, type ImplausibleCounts } from '../features/implausible-calls.ts';
import { listParts } from '../live/compact-predictions.ts';
import { buildPredictionMetrics } from './build-prediction-metrics.ts';
import {
  type ComparisonTable,
  type DelayUnit,
  delayUnits,
  horizonBuckets,
  OURS,
  PERSISTENCE,
  type PredictionMethod,
} from './comparison-table.ts';
import { measureTransfers } from './measure-transfers.ts';
import { findMeasuredDay, type MeasuredDay, type PairGroup, pairGroups } from './measured-days.ts';
import type { MetricRow } from './metric-tables.ts';
import { storeMetricRows } from './store-metric-rows.ts';

/** The forecaster that is the last forecast of the source itself. */
const SOURCE = 'source';

/** Files of one source and service date. */
interface MeasuredFiles {
  readonly predictions: readonly string[];
  readonly stopEvents: string;
  /** Empty where observations are not kept. */
  readonly observations: readonly string[];
}

/** The pairs of a day as they were forecast in service; seconds. NaN in `reported` without a forecast of the source. */
interface MeasuredPairs {
  readonly truth: Float32Array;
  readonly current: Float32Array;
  readonly horizonSeconds: Float32Array;
  readonly secondsToArrival: Float32Array;
  readonly low: Float32Array;
  readonly median: Float32Array;
  readonly high: Float32Array;
  readonly reported: Float32Array;
  /** Calls of the day that are excluded from all pairs. */
  readonly implausible: ImplausibleCounts;
}

/** Leaves its inputs behind: `logged_predictions`, `day_stop_events`, `day_observations` and `implausible_calls`. */
export async function loadMeasuredPairs(db: Duckdb, files: MeasuredFiles): Promise<MeasuredPairs> {
  const list = (names: readonly string[]) =>
    `read_parquet([${names.map(sqlPath).join(', ')}], union_by_name = true, hive_partitioning = false)`;
  const observations =
    files.observations.length > 0
      ? `from ${list(files.observations)}`
      : `select null::varchar as trip_id, null::integer as position, null::timestamptz as first_seen_at,
         null::timestamptz as last_seen_at,
         null::varchar as evidence, null::integer as delay_seconds, null::varchar as event, null::varchar as channel
         limit 0`;
  await db.run(`
    create or replace temp view logged_predictions as from ${list(files.predictions)};
    create or replace temp view day_stop_events as
      select *, ${isCallCancelled} as is_cancelled from (${selectStopEvents(list([files.stopEvents]))});
    create or replace temp view day_observations as ${observations};
  `);
  const implausible = await listImplausible(db);
  const select = await readSql('pipeline/predictions/sql/measured_pairs.sql');
  await db.run(`create or replace temp table measured_pairs as ${select}`);
  const [{ n }] = (await db.query('select count(*)::integer as n from measured_pairs')) as [{ n: number }];
  const float = (name: string) => ['f32', name] as const;
  const pairs = await readColumns(
    db,
    {
      truth: float('truth'),
      current: float('current'),
      horizonSeconds: float('horizon_seconds'),
      secondsToArrival: float('seconds_to_arrival'),
      low: float('low'),
      median: float('median'),
      high: float('high'),
      reported: float('reported'),
    },
    'from measured_pairs',
    n,
  );
  await db.run('drop table measured_pairs');
  return { ...pairs, implausible };
}

/** Writes the implausible calls of `day_stop_events` to the table `implausible_calls`. @returns their counts */
async function listImplausible(db: Duckdb): Promise<ImplausibleCounts> {
  await db.run(`create or replace temp table observed_calls as
    ${await readSql('pipeline/predictions/sql/observed_calls.sql')}`);
  const [{ n }] = (await db.query('select count(*)::integer as n from observed_calls')) as [{ n: number }];
  const calls = await readColumns(
    db,
    {
      datedTrip: ['i32', 'run'],
      arrivalTime: ['f64', 'arrival_time'],
      departureTime: ['f64', 'departure_time'],
      departureDelay: ['f64', 'departure_delay'],
    },
    'from observed_calls order by place',
    n,
  );
  const found = findImplausibleCalls({
    datedTrip: calls.datedTrip,
    arrivalTime: (place) => calls.arrivalTime[place]!,
    departureTime: (place) => calls.departureTime[place]!,
    departureDelay: (place) => calls.departureDelay[place]!,
  });
  await db.run('create or replace temp table implausible_places (place integer)');
  await db.insertColumns('implausible_places', [Int32Array.from(found, ({ place }) => place)]);
  await db.run(`
    create or replace temp table implausible_calls as
    select trip_id, position from observed_calls join implausible_places using (place);
    drop table observed_calls; drop table implausible_places;
  `);
  return countImplausible(found);
}

/** The forecasts of a group of pairs; for whole minutes all delays are floored to the minute. */
export function toPredictionTable(pairs: MeasuredPairs, group: PairGroup, unit: DelayUnit): ComparisonTable {
  const kept = Array.from(pairs.truth.keys()).filter((pair) => group === 'all' || !Number.isNaN(pairs.reported[pair]));
  const take = (column: Float32Array) => Float32Array.from(kept, (pair) => column[pair]!);
  const delays = (column: Float32Array) => (unit === 'raw' ? take(column) : take(column).map(floorToMinute));
  const current = delays(pairs.current);
  const only = (name: string, median: Float32Array): PredictionMethod => ({ name, median, low: null, high: null });
  return {
    unit,
    count: kept.length,
    truth: delays(pairs.truth),
    current,
    horizonSeconds: take(pairs.horizonSeconds),
    secondsToArrival: take(pairs.secondsToArrival),
    forecasters: [
      only('schedule', new Float32Array(kept.length)),
      only(PERSISTENCE, current),
      ...(group === 'toldBySource' ? [only(SOURCE, delays(pairs.reported))] : []),
      { name: OURS, median: delays(pairs.median), low: delays(pairs.low), high: delays(pairs.high) },
    ],
  };
}

export type MeasureOutcome = 'measured' | 'unchanged' | 'notOver' | 'due';

interface MeasureRequest {
  readonly dataDir: string;
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly measuredAt: string;
}

/** Days with predictions, by source, oldest first. */
export async function listPredictedDays(
  dataDir: string,
): Promise<{ readonly source: SourceId; readonly serviceDate: ServiceDate }[]> {
  const days = [];
  const folder = predictionsFolder(dataDir);
  for (const name of (await listNames(folder)).sort()) {
    const source = name.replace(/^source=/, '');
    if (!isSourceId(source)) continue;
    for (const one of (await listNames(path.join(folder, name))).sort()) {
      const serviceDate = parseServiceDate(one.replace(/^service_date=/, ''));
      if (serviceDate) days.push({ source, serviceDate });
    }
  }
  return days;
}

/** Raise with every change of the metrics: all days are measured again. */
const METRICS_VERSION = 4;

/** Compares the predictions of a finished day with its stop events; again when one of the two has changed. */
export async function evaluateDay(db: Duckdb, folder: string, request: MeasureRequest): Promise<MeasureOutcome> {
  const { dataDir, source, serviceDate, isForced, isDryRun, measuredAt } = request;
  const stopEvents = await findStopEventManifest(dataDir, source, serviceDate);
  if (!stopEvents) return 'notOver';
  const predictions = await listPredictionFiles(dataDir, source, serviceDate);
  if (predictions.length === 0) return 'notOver';
  // A compaction changes the files, and no row: the day is not measured again.
  const parts = await listParts(db, predictions);
  const inputHash = createHash('sha256')
    .update(JSON.stringify([METRICS_VERSION, stopEvents.rowsHash, parts]))
    .digest('hex')
    .slice(0, 32);
  const before = await findMeasuredDay(dataDir, source, serviceDate);
  if (before?.inputHash === inputHash && !isForced) return 'unchanged';
  if (isDryRun) return 'due';
  const pairs = await loadMeasuredPairs(db, {
    predictions,
    stopEvents: stopEventFile(dataDir, source, serviceDate),
    observations: await listObservationFiles(dataDir, source, serviceDate),
  });
  const { implausible } = pairs;
  // Metrics of a training, which do not apply here.
  const noModel = { learntPairs: 0, trees: 0, ablation: [] };
  const metrics = pairGroups.flatMap((pairsOf) =>
    delayUnits.map((unit) => {
      const table = toPredictionTable(pairs, pairsOf, unit);
      return { ...buildPredictionMetrics(horizonBuckets, { table, implausible, ...noModel }), pairsOf };
    }),
  );
  const day = { source, serviceDate, inputHash, figures: metrics, measuredAt };
  const stored = { dataDir, folder, source, serviceDate };
  await storeMetricRows(db, { ...stored, table: 'prediction_daily' }, listErrorRows(day));
  await storeMetricRows(db, { ...stored, table: 'prediction_classes_daily' }, listClassRows(day));
  await storeMetricRows(db, { ...stored, table: 'prediction_examples' }, await listExamples(db, day));
  const calls = stopEvents.counts.scheduled;
  const transfers = await measureTransfers(db, dataDir, source, { serviceDate, calls, rowsHash: stopEvents.rowsHash });
  await storeMetricRows(db, { ...stored, table: 'transfer_predictions' }, transfers);
  await writeJsonAtomically(measuredDayFile(dataDir, source, serviceDate), day satisfies MeasuredDay);
  return 'measured';
}

function listErrorRows({ source, serviceDate, figures: metrics }: MeasuredDay): MetricRow[] {
  return metrics.flatMap(({ pairsOf, unit, errors, intervals }) =>
    errors.flatMap(({ slice, pairs, meanError, againstPersistence }) =>
      Object.keys(meanError).map((forecaster): MetricRow => {
        const interval = intervals.find((one) => one.slice === slice && one.forecaster === forecaster);
        return {
          service_date: serviceDate,
          source,
          pairs_of: pairsOf,
          unit,
          slice,
          forecaster,
          pairs,
          mean_error_seconds: meanError[forecaster] ?? null,
          against_persistence: againstPersistence[forecaster] ?? null,
          covered: interval?.covered ?? null,
          mean_width_seconds: interval?.meanWidth ?? null,
          winkler_seconds: interval?.winkler ?? null,
        };
      }),
    ),
  );
}

function listClassRows({ source, serviceDate, figures: metrics }: MeasuredDay): MetricRow[] {
  return metrics.flatMap(({ pairsOf, unit, classes }) =>
    classes.map(
      ({ name, pairs, share, covered, within60, within120, within180 }): MetricRow => ({
        service_date: serviceDate,
        source,
        pairs_of: pairsOf,
        unit,
        confidence: name,
        pairs,
        share,
        covered,
        within_60: within60,
        within_120: within120,
        within_180: within180,
      }),
    ),
  );
}

/** Number of predictions of a day that are kept individually. */
const EXAMPLES = 20;

/**
 * Samples predictions of a day with their details. Reads `logged_predictions`, `day_stop_events`, `day_observations` and
 * `implausible_calls`.
 * @returns rows of the mart `prediction_examples`, without day and source; the same for equal input
 */
async function listExamples(
  db: Duckdb,
  { source, serviceDate }: Pick<MeasuredDay, 'source' | 'serviceDate'>,
): Promise<MetricRow[]> {
  const select = await readSql('pipeline/predictions/sql/prediction_examples.sql');
  const rows = await db.query(select, { seed: `${source} ${serviceDate}`, examples: EXAMPLES });
  return rows.map((row) => ({ ...(row as MetricRow), service_date: serviceDate, source }));
}
