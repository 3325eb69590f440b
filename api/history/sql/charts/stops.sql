-- Every stop with scheduled calls.
-- from: calls
select
    feed_source,
    stop_id,
    sum(scheduled) as expected,
    sum(observed) as observed,
    sum(on_time) as on_time
from calls
group by feed_source, stop_id
order by feed_source, stop_id
