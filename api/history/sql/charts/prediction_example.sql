-- One forecast of the day, call by call of its trip.
-- from: calls
select * exclude (service_date, source)
from calls
where example = $example
order by position
