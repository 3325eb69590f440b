-- The planned calls whose counted event is cancelled, with their stations.
select
    planned_calls.trip_key,
    planned_calls.call_number,
    planned_calls.position,
    day_stops.station_id,
    planned_calls.departure,
    case when planned_calls.position = 0 then planned_calls.departure else planned_calls.arrival end as scheduled,
    planned_calls.position = 0 as is_departure
from cancelled_events
join planned_calls using (call_number)
join day_stops
    on day_stops.feed_number = planned_calls.feed_number and day_stops.stop_index = planned_calls.stop_index
where case when planned_calls.position = 0 then departure_is_cancelled else arrival_is_cancelled and not is_beginning end
