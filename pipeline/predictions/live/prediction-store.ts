import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, readSql, sqlText } from '../../effects/duckdb.ts';
import { syncFile } from '../../effects/files.ts';
import { placeFile } from '../../lake/observations/partition-files.ts';
import { assertRowCount, parquetFacts } from '../../lake/parquet-facts.ts';
import { predictionPartition } from '../../lake/paths.ts';
import type { SourceId } from '../../model/ids.ts';
import { fromEpochDay } from '../../model/service-time.ts';
import type { LoggedPrediction } from './prediction-log.ts';

/**
 * The columns of the predictions table, beside `source` and `service_date`, which are its folders. One row is the
 * forecast of one later arrival of a trip under way, made after a new observation. Delays are seconds; early is
 * negative.
 */
export const predictionColumns = {
  trip_id: ['VARCHAR', 'As in the stop events.'],
  made_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. Time of the forecast, which uses nothing later.'],
  model: [
    'VARCHAR',
    'The model of the forecast: a folder of `lake/prediction_models`, or the prior of the project (`prior-…`).',
  ],
  from_position: ['INTEGER', 'Position of the last observed call.'],
  observed_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. Time of that observation.'],
  is_from_position: [
    'BOOLEAN',
    'Whether it was derived from a vehicle position at the stop; otherwise the source reported it.',
  ],
  current_delay_seconds: ['INTEGER', 'Delay there, which is also the forecast of persistence.'],
  position: ['INTEGER', 'Position of the call whose arrival is forecast.'],
  low_seconds: ['INTEGER', 'p10: one arrival in ten is expected to have less delay.'],
  median_seconds: ['INTEGER', 'p50.'],
  high_seconds: ['INTEGER', 'p90.'],
  train_runs: [
    'INTEGER',
    'Past trips of this train (route, stops and planned departure) with data between the two positions.',
  ],
  train_change_seconds: [
    'FLOAT',
    'Change of delay between the two positions in the most similar of these; null without any.',
  ],
  pattern_runs: ['INTEGER', 'Past trips of the route with the same stops.'],
  pattern_change_seconds: ['FLOAT', 'The same in these trips.'],
  leg_values: ['INTEGER', 'Past passages over the leg between the two positions that has the fewest.'],
  legs_change_seconds: ['FLOAT', 'Change of delay according to the usual times of the legs.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;

/**
 * Adds forecasts to the lake, one file per service date. Files are named by the time of storing and never changed.
 * @param folder a work folder on the same disk as the lake
 * @throws ExternalError `partition_incomplete`
 */
export async function storePredictions(
  db: Duckdb,
  dataDir: string,
  folder: string,
  source: SourceId,
  rows: readonly LoggedPrediction[],
): Promise<void> {
  if (rows.length === 0) return;
  await mkdir(folder, { recursive: true });
  await insertRows(db, rows);
  const facts = await parquetFacts(dataDir, 'predictions', [source]);
  const select = await readSql('pipeline/predictions/sql/logged_predictions.sql');
  for (const day of [...new Set(rows.map((row) => row.day))]) {
    const ofDay = rows.filter((row) => row.day === day);
    const name = `${ofDay[0]!.madeAt}-${randomBytes(4).toString('hex')}.parquet`;
    const file = path.join(folder, name);
    const rowsOfDay = `select * exclude (day) from (${select}) where day = ${day}`;
    await db.run(`copy (${rowsOfDay}) to ${sqlText(file)} (format parquet, compression zstd, ${facts})`);
    await assertRowCount(db, file, ofDay.length);
    await syncFile(file);
    await placeFile(file, predictionPartition(dataDir, source, fromEpochDay(day)), name);
  }
  await db.run('drop table logged_rows');
}

async function insertRows(db: Duckdb, rows: readonly LoggedPrediction[]): Promise<void> {
  await db.run(`create or replace temp table logged_rows (
    day integer, trip_id varchar, made_at double, model varchar, from_position integer, observed_at double,
    is_from_position integer, current_delay_seconds integer, position integer, low_seconds integer,
    median_seconds integer, high_seconds integer, train_runs float, train_change_seconds float, pattern_runs float,
    pattern_change_seconds float, leg_values float, legs_change_seconds float)`);
  const int = (read: (row: LoggedPrediction) => number) => Int32Array.from(rows, read);
  const prior = (place: number) => Float32Array.from(rows, ({ priors }) => priors[place]!);
  await db.insertColumns('logged_rows', [
    int((row) => row.day),
    rows.map((row) => row.tripId),
    Float64Array.from(rows, (row) => row.madeAt),
    rows.map((row) => row.model),
    int((row) => row.fromPosition),
    Float64Array.from(rows, (row) => row.observedAt),
    int((row) => (row.isFromPosition ? 1 : 0)),
    int((row) => row.delaySeconds),
    int((row) => row.position),
    int((row) => row.low),
    int((row) => row.median),
    int((row) => row.high),
    ...[0, 1, 2, 3, 4, 5].map(prior),
  ]);
}
