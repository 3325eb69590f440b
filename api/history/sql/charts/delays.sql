-- Observed calls by whole minutes of delay, rounded down; early ones are negative.
-- from: calls
select
    delay_minutes,
    sum(events) as observed,
    cast(sum(events) as double) / sum(sum(events)) over () as share
from @unnested(calls, delay_histogram, delay_minutes, events) as bars
group by delay_minutes
order by delay_minutes
