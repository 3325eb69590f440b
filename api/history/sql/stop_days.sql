-- What was seen at some stops, per day and per line.
-- values: source, line and operator (null: any), public_ids (`<feed_source>:<stop_id>`), first_feed, last_feed,
-- first_stop and last_stop (the least and the greatest, by which most of a file need not be read), first_date,
-- last_date, on_time_max, late_min, early_min
-- rows: one per day (line null), and one per line, product and operator (day null)
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
)

select
    cast(service_date as varchar) as day,
    line,
    product,
    operator,
    cast(sum(scheduled) as double) as expected,
    cast(sum(observed) as double) as observed,
    cast(sum(on_time) as double) as on_time,
    cast(sum(early) as double) as early,
    cast(sum(late10) as double) as late10,
    cast(sum(cancelled) as double) as cancelled,
    cast(sum(replaced) as double) as replaced,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from days
group by grouping sets ((service_date), (line, product, operator))
order by day, line, product, operator
