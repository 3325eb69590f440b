-- The trips of a batch (table call_rows), each with its first and last call, and the last one that has a value other than
-- the placeholder.
select
    service_date,
    trip_id,
    trip_key_of(trip_id) as trip_key,
    min(call_position) as first_position,
    max(call_position) as last_position,
    max(call_position) filter (has_other_value) as last_reported_position
from call_rows
where refused_code is null
group by service_date, trip_id
