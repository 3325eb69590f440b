-- Lines that more than one source tells of, or of whose trips another source tells. Of every other line all sources
-- together say what its one source says, and it is counted once for both.
-- from: int_calls, int_shared_trips
select line_key
from int_calls
group by line_key
having
    min(source_number) <> max(source_number)
    or bool_or(has_timetable and trip_key in (select trip_key from int_shared_trips))
