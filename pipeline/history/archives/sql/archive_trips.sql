-- The trips of a batch (table call_rows), each with its first and last call, the first one that it departs from and the
-- last one that it arrives at, and the last one that has a value other than the placeholder.
select
    service_date,
    trip_id,
    trip_key_of(trip_id) as trip_key,
    min(call_position) as first_position,
    max(call_position) as last_position,
    min(call_position) filter (not departure_is_cancelled) as begins_at,
    max(call_position) filter (not arrival_is_cancelled) as ends_at,
    max(call_position) filter (has_other_value) as last_reported_position
from call_rows
where refused_code is null
group by service_date, trip_id
