-- What was seen at some stops of one timetable, per day and per line.
-- files: stop_daily; values: source, line and operator (null: any), feed_source, stop_ids, first_stop and last_stop (the ends of
-- stop_ids in their order, by which most of a file need not be read), first_date, last_date, on_time_max, late_min,
-- early_min
-- rows: one per day (line null), and one per line, product and operator (day null)
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
)

select
    service_date::varchar as day,
    line,
    product,
    operator,
    sum(scheduled)::double as expected,
    sum(observed)::double as observed,
    sum(on_time)::double as on_time,
    sum(early)::double as early,
    sum(late10)::double as late10,
    sum(cancelled)::double as cancelled,
    sum(delay_sum_seconds)::double as delay_sum_seconds
from days
group by grouping sets ((service_date), (line, product, operator))
order by day, line, product, operator
