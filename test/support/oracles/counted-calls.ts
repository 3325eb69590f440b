import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished } from 'vitest';
import { sqlText } from '../../../pipeline/effects/duckdb.ts';
import { listLakeViews, renderCatalog } from '../../../pipeline/guide/write-lake-guide.ts';
import { lakeFolder } from '../../../pipeline/lake/paths.ts';

/** The view without precomputed columns: a window function over all calls decides which ones count. */
const ORACLE = `select
    * exclude (is_added, is_counted),
    case event when 'departure' then departure_is_cancelled else arrival_is_cancelled end as is_cancelled,
    is_cancelled = false and evidence = 'observed_actual' as is_observed,
    make_timestamp(epoch_us(scheduled_time)) + to_minutes(utc_offset_minutes) as scheduled_time_local
from stop_events
where not is_added
qualify row_number() over (
    partition by service_date, trip_id, position, feed_source, case when feed_source is null then source end
    order by
        case
            when not is_cancelled and evidence = 'observed_actual' then 0
            when is_cancelled then 1
            when evidence = 'forecast' then 2
            else 3
        end,
        source
) = 1`;

const stopEventViews = listLakeViews().filter(({ name }) => name === 'stop_events');

/** A plain DuckDB after `-init catalog.sql`, with stop events only. */
export async function openStopEvents(dataDir: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await connection.run(`set variable lake = ${sqlText(lakeFolder(dataDir))}`);
  await connection.run(renderCatalog(stopEventViews, lakeFolder(dataDir)));
  return async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
}

type QueryRows = Awaited<ReturnType<typeof openStopEvents>>;

/** Asserts that the view returns the rows of the window function, in all columns. @returns number of rows */
export async function assertAsTheOracle(query: QueryRows): Promise<number> {
  const expected = await query(`from (${ORACLE}) order by all`);
  expect(await query('from counted_calls order by all')).toEqual(expected);
  return expected.length;
}
