-- The planned calls of one day as all sources together tell them: each call once, by the best evidence. Rows are the
-- same call when timetable, trip and position are; rows without a timetable are never merged. Among equals the first
-- source by name tells.
-- from: int_calls
with

-- Most trips are told by one source, and need not be sorted.
told_twice as (
    select trip_key
    from int_calls
    where has_timetable
    group by trip_key
    having min(source_number) <> max(source_number)
),

told_once as (
    select *
    from int_calls
    where not has_timetable or trip_key not in (select trip_key from told_twice)
),

merged as (
    select *
    from int_calls
    where has_timetable and trip_key in (select trip_key from told_twice)
    qualify row_number() over (partition by trip_key, position order by evidence_rank, source_number) = 1
)

from told_once
union all
from merged
