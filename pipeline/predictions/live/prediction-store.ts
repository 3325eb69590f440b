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
 * The columns of the predictions table, beside `source` and `service_date`, which its folders say. One row is what was
 * forecast of one later arrival of a trip under way when something new was observed of it. Delays are
 * seconds; early is negative.
 */
export const predictionColumns = {
  trip_id: ['VARCHAR', 'As in the stop events.'],
  made_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When it was forecast: nothing that came later is in it.'],
  model: ['VARCHAR', 'The model that did: a folder of `lake/prediction_models`.'],
  from_position: ['USMALLINT', 'Position of the call that was observed last.'],
  observed_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When it was.'],
  is_from_position: ['BOOLEAN', 'A vehicle was seen standing there; else it was told.'],
  current_delay_seconds: ['INTEGER', 'Delay there: what would be forecast by assuming that it stays.'],
  position: ['USMALLINT', 'Position of the call whose arrival is forecast.'],
  low_seconds: ['INTEGER', 'p10: one arrival in ten is to have less delay.'],
  median_seconds: ['INTEGER', 'p50.'],
  high_seconds: ['INTEGER', 'p90.'],
  train_runs: [
    'INTEGER',
    'Past runs of this train (route, stops and planned departure) that say something of this way.',
  ],
  train_change_seconds: [
    'FLOAT',
    'How the delay changed on the way in those of them that are most like this one; null where none says.',
  ],
  pattern_runs: ['INTEGER', 'Past runs of any trip of the route with the same stops.'],
  pattern_change_seconds: ['FLOAT', 'The same of these.'],
  leg_values: ['INTEGER', 'Past rides over that leg of the way of which least is known.'],
  legs_change_seconds: ['FLOAT', 'What the usual times of the legs would make of the delay.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;

/**
 * Adds what was forecast to the lake, a file per service date. Files are named by the moment, and never changed.
 * @param folder a work folder on the same disk as the lake
 * @throws WorldError `partition_incomplete`
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
