-- What each poll told of each call, in the order of polls: by moment, run and place in the list.
select
  row_number() over (order by polled_at, calls.run, pos) - 1 as row,
  polled_at,
  calls.run,
  calls.call,
  arrival_minutes,
  departure_minutes,
  has_arr
from hu_rows
join hu_calls as calls using (service_date, trip_id, station, scheduled_clock)
