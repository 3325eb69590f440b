-- The planned calls of one day as all sources together tell them: each call once. Rows without a timetable have nothing
-- to be recognised by, and are never merged.
-- from: int_calls, int_shared_trips, int_shared_calls
select *
from int_calls
where not has_timetable or trip_key not in (select trip_key from int_shared_trips)
union all
from int_shared_calls
