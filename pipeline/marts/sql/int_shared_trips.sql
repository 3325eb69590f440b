-- Trips of a timetable that more than one source tells of.
-- from: int_calls
select trip_key
from int_calls
where has_timetable
group by trip_key
having min(source_number) <> max(source_number)
