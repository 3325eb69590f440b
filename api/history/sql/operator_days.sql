-- What the lines of one operator did, per day and per weekday and hour.
-- files: operator_hourly; values: source, operator, first_date, last_date, on_time_max, late_min,
-- early_min
-- rows: one per day (dow and hour null), and one per weekday and hour (day null)
with

hours as (
    select *
    from read_parquet($files, hive_partitioning = false)
    where
        source = $source
        and operator = $operator
        and service_date between $first_date::date and $last_date::date
        -- of one definition among several
        and on_time_max_delay_seconds = $on_time_max
        and late_min_delay_seconds = $late_min
        and early_min_seconds = $early_min
        and evidence = 'observed_actual'
        -- of any
)

select
    service_date::varchar as day,
    dow,
    hour,
    sum(scheduled)::double as expected,
    sum(observed)::double as observed,
    sum(on_time)::double as on_time,
    sum(early)::double as early,
    sum(late10)::double as late10,
    sum(cancelled)::double as cancelled,
    sum(delay_sum_seconds)::double as delay_sum_seconds
from hours
group by grouping sets ((service_date), (dow, hour))
order by day, dow, hour
