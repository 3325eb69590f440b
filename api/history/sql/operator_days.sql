-- What the lines of one operator did, per day and per weekday and hour.
-- values: source, operator, first_date, last_date, on_time_max, late_min,
-- early_min
-- rows: one per day (dow and hour null), and one per weekday and hour (day null)
with

hours as (
    select *
    from marts.operator_hourly
    where
        source = $source
        and operator = $operator
        and service_date between cast($first_date as date) and cast($last_date as date)
        -- of one definition among several
        and on_time_max_delay_seconds = $on_time_max
        and late_min_delay_seconds = $late_min
        and early_min_seconds = $early_min
        and evidence = 'observed_actual'
        -- of any
)

select
    cast(service_date as varchar) as day,
    dow,
    hour,
    cast(sum(scheduled) as double) as expected,
    cast(sum(observed) as double) as observed,
    cast(sum(on_time) as double) as on_time,
    cast(sum(early) as double) as early,
    cast(sum(late10) as double) as late10,
    cast(sum(cancelled) as double) as cancelled,
    cast(sum(replaced) as double) as replaced,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from hours
group by grouping sets ((service_date), (dow, hour))
order by day, dow, hour
