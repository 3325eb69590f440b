-- What was seen at some stops of one timetable, per weekday and hour.
-- files: stop_daily; values: as of stop_days.sql
with

days as (
    select *
    from read_parquet($files, hive_partitioning = false)
    where
        source = $source
        and feed_source = $feed_source
        and stop_id between $first_stop and $last_stop
        and list_contains($stop_ids, stop_id)
        and ($line is null or line = $line)
        and ($operator is null or operator = $operator)
        and service_date between $first_date::date and $last_date::date
        -- of one definition among several
        and on_time_max_delay_seconds = $on_time_max
        and late_min_delay_seconds = $late_min
        and early_min_seconds = $early_min
        and evidence = 'observed_actual'
        -- of any
        and observed > 0
),

hours as (
    select unnest(hours, recursive := true)
    from days
)

select
    dow,
    hour,
    sum(events)::double as observed,
    sum(delay_sum_seconds)::double as delay_sum_seconds
from hours
where events > 0
group by dow, hour
order by dow, hour
