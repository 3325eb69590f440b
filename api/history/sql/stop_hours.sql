-- What was seen at some stops, per weekday and hour.
-- values: as of stop_days.sql
with

days as (
    select *
    from marts.stop_daily
    where
        source = $source
        and feed_source between $first_feed and $last_feed
        and stop_id between $first_stop and $last_stop
        and @list_contains($public_ids, feed_source || ':' || stop_id)
        and ($line is null or line = $line)
        and ($operator is null or operator = $operator)
        and service_date between cast($first_date as date) and cast($last_date as date)
        -- of one definition among several
        and on_time_max_delay_seconds = $on_time_max
        and late_min_delay_seconds = $late_min
        and early_min_seconds = $early_min
        and evidence = 'observed_actual'
        -- of any
        and observed > 0
),

hours as (
    select *
    from @unnested(days, hours, dow, hour, events, delay_sum_seconds) as bars
)

select
    dow,
    hour,
    cast(sum(events) as double) as observed,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from hours
where events > 0
group by dow, hour
order by dow, hour
