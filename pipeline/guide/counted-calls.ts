import { sqlText } from '../effects/duckdb.ts';
import { COUNTED_WITH, evidenceRank, FILE_ID } from '../history/stop-events/counted-rows.ts';

/** Columns of the stop events that the counted calls do not have: of these they are all the same. */
export const notInCountedCalls: readonly string[] = ['is_added', 'is_counted'];

export const countedCallsAbout =
  'Planned calls, each once: where several sources tell of a call, the best evidence does. As the api counts.';

/**
 * The one rule that a reader of `stop_events` would have to know: how a call that two sources tell counts once. Files say
 * themselves which others of their day were looked at when `is_counted` was worked out; where these are the files that
 * are there, nothing but the column is read. Calls of all other days are compared as the question is asked, which takes
 * twenty times as long.
 * @param stopEvents a relation in SQL, with `is_counted`
 * @param pattern the files of the same, as an SQL expression; there must be one
 * @param isKnown an SQL expression: whether `is_counted` of that relation is what the files say
 */
export function selectCountedCalls(stopEvents: string, pattern: string, isKnown: string): string {
  return `with

marks as not materialized (
    select
        file_name as file,
        max(decode(value)) filter (key = ${sqlText(FILE_ID)}::blob) as file_id,
        max(decode(value)) filter (key = ${sqlText(COUNTED_WITH)}::blob) as counted_with
    from parquet_kv_metadata(${pattern})
    where ${isKnown}
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
    is_cancelled = false and evidence = 'observed_actual' as is_observed,
    make_timestamp(epoch_us(scheduled_time)) + to_minutes(utc_offset_minutes) as scheduled_time_local
from (from counted union all from compared)`;
}
