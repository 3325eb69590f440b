import { sqlText } from '../effects/duckdb.ts';
import { COUNTED_WITH, evidenceRank, FILE_ID } from '../history/stop-events/counted-rows.ts';
import { isCallCancelled } from '../history/stop-events/stop-event-table.ts';

/** Columns of the stop events that are constant among counted calls, and so left out. */
export const notInCountedCalls: readonly string[] = ['is_added', 'is_counted'];

export const countedCallsAbout =
  'Planned calls, each once: of several sources of a call, the one with the best evidence counts, as in the api.';

/**
 * The rule for readers of `stop_events`: a call reported by two sources counts once. Each file names the other files of
 * its day when `is_counted` was computed; where these are the files that exist, only the column is read. Calls of all
 * other days are compared at query time, which takes twenty times as long.
 * @param stopEvents a relation in SQL, with the present columns
 * @param pattern the files of the same, as an SQL expression; there must be one
 */
export function selectCountedCalls(stopEvents: string, pattern: string): string {
  return `with

marks as not materialized (
    select
        file_name as file,
        max(decode(value)) filter (key = ${sqlText(FILE_ID)}::blob) as file_id,
        max(decode(value)) filter (key = ${sqlText(COUNTED_WITH)}::blob) as counted_with
    from parquet_kv_metadata(${pattern})
    group by file_name
),

files as not materialized (
    select
        regexp_extract(file, 'service_date=([0-9-]+)[^=]*$', 1) as day,
        regexp_extract(file, 'source=([^=]*).service_date=[^=]*$', 1) || ':' || file_id as file_name,
        counted_with
    from glob(${pattern})
    left join marks using (file)
),

days_to_compare as not materialized (
    select day::date as service_date
    from files
    group by day
    having not coalesce(
        count(*) = count(counted_with)
        and min(counted_with) = max(counted_with)
        and min(counted_with) = string_agg(file_name, ', ' order by file_name),
        false
    )
),

compared as (
    select *
    from ${stopEvents}
    semi join days_to_compare using (service_date)
    where not is_added
    qualify row_number() over (
        partition by service_date, trip_id, position, feed_source, case when feed_source is null then source end
        order by ${evidenceRank}, source
    ) = 1
),

counted as (
    select *
    from ${stopEvents}
    anti join days_to_compare using (service_date)
    where is_counted
)

select
    * exclude (${notInCountedCalls.join(', ')}),
    ${isCallCancelled} as is_cancelled,
    not ${isCallCancelled} and evidence = 'observed_actual' as is_observed,
    make_timestamp(epoch_us(scheduled_time)) + to_minutes(utc_offset_minutes) as scheduled_time_local
from (from counted union all from compared)`;
}
