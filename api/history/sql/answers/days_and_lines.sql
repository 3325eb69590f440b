-- Counts per day, and per line, which is a label, a product and an operator.
-- from: calls
-- rows: one per day (line null), and one per line, product and operator (day null)
select
    cast(service_date as varchar) as day,
    line,
    product,
    operator,
    cast(sum(scheduled) as double) as expected,
    cast(sum(observed) as double) as observed,
    cast(sum(derived) as double) as derived,
    cast(sum(forecasts) as double) as forecasts,
    cast(sum(on_time) as double) as on_time,
    cast(sum(early) as double) as early,
    cast(sum(late10) as double) as late10,
    cast(sum(cancelled) as double) as cancelled,
    cast(sum(replaced) as double) as replaced,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from calls
group by grouping sets ((service_date), (line, product, operator))
order by day, line, product, operator
