import { type Duckdb, readSql } from '../effects/duckdb.ts';
import { readColumns } from '../effects/read-columns.ts';
import { type Forecaster, INCREMENT_TABLE } from './forecast-table.ts';

/** What tables of the past forecast, for all pairs of the test in the order of the run table. */
export interface TableForecasts {
  readonly incrementTable: Forecaster;
  readonly historicalMedian: Forecaster;
}

/**
 * The forecasts that SQL alone makes, as a measure for ours. `run_calls` is there before.
 * @param gridSeconds 60 for whole minutes, 1 for delays as they are
 * @param firstDay of the test, days since 1970; `lastDay` is included
 */
export async function forecastByTables(
  db: Duckdb,
  gridSeconds: number,
  firstDay: number,
  lastDay: number,
): Promise<TableForecasts> {
  await db.run(`create or replace temp table delay_grid as select ${gridSeconds} as seconds;
    create or replace temp table test_days as select ${firstDay} as first_day, ${lastDay} as last_day`);
  for (const table of ['pair_rows', 'increment_table']) {
    await db.run(`create or replace temp table ${table} as ${await readSql(`pipeline/predictions/sql/${table}.sql`)}`);
  }
  const [{ rows }] = (await db.query('select count(*)::integer as rows from increment_table')) as [{ rows: number }];
  const columns = await readColumns(
    db,
    { middle: ['f64', 'middle'], low: ['f64', 'low'], high: ['f64', 'high'], usual: ['f64', 'usual'] },
    'from increment_table',
    rows,
  );
  await db.run('drop table pair_rows; drop table increment_table');
  return {
    incrementTable: {
      name: INCREMENT_TABLE,
      median: Float32Array.from(columns.middle),
      low: Float32Array.from(columns.low),
      high: Float32Array.from(columns.high),
    },
    historicalMedian: { name: 'historical median', median: Float32Array.from(columns.usual), low: null, high: null },
  };
}
