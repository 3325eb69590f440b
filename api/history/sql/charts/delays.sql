-- Observed calls by whole minutes of delay, rounded down; early ones are negative.
-- from: calls
select
    delay_minutes,
    sum(events) as observed,
    sum(events) / sum(sum(events)) over () as share
from (select unnest(delay_histogram, recursive := true) from calls)
group by delay_minutes
order by all
