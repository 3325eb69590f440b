import { type Duckdb, readSql, sqlText } from '../../effects/duckdb.ts';
import { stopEventFile } from '../../lake/stop-events/stop-event-manifest.ts';
import type { SourceId } from '../../model/ids.ts';
import { readRunTable } from '../read-run-table.ts';
import type { RunTable } from '../run-table.ts';
import type { LearningDay } from './learning-days.ts';

/** Past runs, and the names of what their numbers stand for. */
export interface RecordedRuns {
  readonly table: RunTable;
  /** `trip_id` by number; equal on all days on which the same trip runs. */
  readonly trains: readonly string[];
  readonly routes: readonly string[];
  readonly stops: readonly string[];
}

/** Departures, and arrivals, that are instants to learn from, over all days; more make a model no better. */
const MOST_INSTANTS = 400_000;

/** Reads the stop events of some days of a source. */
export async function loadRecordedRuns(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  days: readonly LearningDay[],
): Promise<RecordedRuns> {
  const files = days.map(({ serviceDate }) => sqlText(stopEventFile(dataDir, source, serviceDate)));
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  await db.run(`
    create or replace temp view stop_event_rows as
    select * replace (service_date::date as service_date)
    from read_parquet([${files.join(', ')}], hive_partitioning = true);
    create or replace temp table known_instants as
    select ${Math.ceil(calls / MOST_INSTANTS)}::ubigint as calls;
  `);
  await db.run(await readSql('pipeline/predictions/sql/stop_event_calls.sql'));
  const recorded = {
    table: await readRunTable(db),
    trains: await readNames(db, 'train_names'),
    routes: await readNames(db, 'route_names'),
    stops: await readNames(db, 'stop_names'),
  };
  await db.run('drop table run_calls; drop table stop_calls; drop view stop_event_rows');
  return recorded;
}

async function readNames(db: Duckdb, table: string): Promise<string[]> {
  const names: string[] = [];
  await db.streamColumns(`select name from ${table} order by number`, (count, column) => {
    const chunk = column(0);
    for (let row = 0; row < count; row++) names.push(String(chunk.get(row)));
  });
  return names;
}
