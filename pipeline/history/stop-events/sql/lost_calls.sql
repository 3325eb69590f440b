-- The planned calls of one day that do not count: another source has better evidence of the same call, or equally good
-- evidence and is first by name. Rows with equal timetable, trip and position are the same call; rows without a
-- timetable match no other, and always count.
-- from: stop_event_rows, the stop events of a day with their source, the rank of their evidence and their number in its
-- file
with

planned as (
    select
        source,
        file_row_number,
        feed_source,
        trip_id,
        position,
        evidence_rank
    from stop_event_rows
    where not is_added and feed_source is not null
),

shared_trips as (
    select feed_source, trip_id
    from planned
    group by feed_source, trip_id
    having min(source) <> max(source)
),

shared_calls as (
    select planned.*
    from planned
    semi join shared_trips using (feed_source, trip_id)
)

select source, file_row_number
from shared_calls
qualify row_number() over (partition by feed_source, trip_id, position order by evidence_rank, source) > 1
