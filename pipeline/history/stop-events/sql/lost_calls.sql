-- The planned calls of one day that do not count, as another source tells of the same call by better evidence, or by as
-- good evidence and comes first by name. Rows are the same call when timetable, trip and position are; rows without a
-- timetable have nothing to be recognised by, and always count.
-- from: stop_event_rows, the stop events of a day with their source, the rank of their evidence and their number in its file
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

told as (
    select planned.*
    from planned
    semi join shared_trips using (feed_source, trip_id)
)

select source, file_row_number
from told
qualify row_number() over (partition by feed_source, trip_id, position order by evidence_rank, source) > 1
