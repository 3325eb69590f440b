-- Calls of a day with more than one row: must be empty.
select feed_source, trip_id, trip_key, position, count(*) as n
from stop_events_of_day
group by all
having count(*) > 1
order by all
limit 1
