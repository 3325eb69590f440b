-- Trips of one feed whose service runs on the service date (variable service_date), numbered from 0. With a day_offset,
-- those of a neighbouring date that run while trips of the service date do: the two may be the same.
select
    (row_number() over (order by trips.trip_index) - 1)::integer as day_row,
    trips.trip_index,
    trips.trip_id,
    spans.first_departure
from feed_trips as trips
join feed_service_dates as days
    on days.service_index = trips.service_index
    and days.service_date = getvariable('service_date')::date + getvariable('day_offset')::integer
join trip_spans as spans
    on spans.trip_index = trips.trip_index and spans.feed_number = getvariable('feed_number')
join feed_routes as routes on routes.route_index = trips.route_index
join day_starts
    on day_starts.time_zone = routes.time_zone and day_starts.day_offset = getvariable('day_offset')
where getvariable('day_offset') = 0
    or (
        day_starts.day_start + spans.last_arrival >= getvariable('first_planned')
        and day_starts.day_start + spans.first_departure <= getvariable('last_planned')
        -- Trips of frequencies are not compared.
        and trips.trip_index not in (select trip_index from feed_frequencies)
    )
