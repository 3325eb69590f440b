-- Counts of observed calls at stops, per weekday and hour.
-- from: calls
select
    dow,
    hour,
    cast(sum(events) as double) as observed,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from @unnested(calls, hours, dow, hour, events, delay_sum_seconds) as bars
where events > 0
group by dow, hour
order by dow, hour
