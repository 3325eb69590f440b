-- The calls of trips that more than one source tells of, each once, by the best evidence. Rows are the same call when
-- timetable, trip and position are. Among equals the first source by name tells.
-- from: int_calls, int_shared_trips
with

told as (
    select
        *,
        evidence_rank * 65536 + source_number as standing
    from int_calls
    where has_timetable and trip_key in (select trip_key from int_shared_trips)
),

best as (
    select
        trip_key,
        position,
        min(standing) as standing
    from told
    group by all
)

select told.* exclude standing
from told
inner join best using (trip_key, position, standing)
