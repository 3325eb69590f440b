-- First departure and last arrival of the trips of one feed, in seconds since the start of their day.
select
    getvariable('feed_number')::integer as feed_number,
    trip_index,
    arg_min(departure_seconds, stop_sequence) as first_departure,
    arg_max(arrival_seconds, stop_sequence) as last_arrival
from feed_calls
group by trip_index
