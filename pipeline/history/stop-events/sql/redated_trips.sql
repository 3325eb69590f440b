-- Trips of the day that are shown under another service date: their calls are rows of that date.
select distinct hidden.trip_key
from hidden_calls
join compared_trips as hidden on hidden.trip_row = hidden_calls.trip_row
join compared_trips as shown on shown.trip_row = hidden_calls.shown_row
where hidden.day_offset = 0 and shown.day_offset <> 0
