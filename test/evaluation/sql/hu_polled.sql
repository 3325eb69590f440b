-- The report of each call in each poll, by time, run and place in the list.
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
