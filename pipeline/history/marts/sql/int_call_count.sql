-- How many calls all sources have together, each counted once: of those without a timetable none is the same call.
-- from: stg_stop_events
select
    -- Hashed, because comparing the texts of half a million rows takes three times as long.
    count(distinct @hash_key(feed_source, trip_id, position)) filter (where feed_source <> '')
    + count(*) filter (where feed_source = '') as calls
from stg_stop_events
