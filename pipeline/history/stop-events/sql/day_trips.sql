-- Trips of one feed whose service runs on the service date (variable service_date), numbered from 0.
select
    (row_number() over (order by trips.trip_index) - 1)::integer as day_row,
    trips.trip_index,
    trips.trip_id,
    first_calls.departure_seconds as first_departure
from feed_trips as trips
join feed_service_dates as days
    on days.service_index = trips.service_index and days.service_date = getvariable('service_date')::date
join (
    select trip_index, arg_min(departure_seconds, stop_sequence) as departure_seconds from feed_calls group by trip_index
) as first_calls on first_calls.trip_index = trips.trip_index
