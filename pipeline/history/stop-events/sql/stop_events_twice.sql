-- Calls of a day with more than one row (view stop_events_of_files, a file per day): must be empty. Hashes come first, as
-- counting them takes less than half of the time.
with repeated as (
    select
        filename,
        hash(feed_source, trip_id, trip_key, position) as call_hash
    from stop_events_of_files
    group by all
    having count(*) > 1
)

select
    filename,
    feed_source,
    trip_id,
    trip_key,
    position,
    count(*) as n
from stop_events_of_files
where (filename, hash(feed_source, trip_id, trip_key, position)) in (select (filename, call_hash) from repeated)
group by all
having count(*) > 1
order by all
limit 1
