-- The calls of one feed's dated trips, with their planned instants in seconds since 1970.
with placed_calls as (
    select
        trip_index,
        row_number() over (partition by trip_index order by stop_sequence) - 1 as position,
        stop_index,
        stop_headsign,
        arrival_seconds,
        departure_seconds
    from feed_calls
    semi join day_trips using (trip_index)
)

select
    runs.trip_key,
    placed_calls.position::integer as position,
    stops.stop_id,
    runs.feed_number,
    stops.stop_index,
    placed_calls.stop_headsign,
    runs.day_start + runs.shift_seconds + arrival_seconds as arrival,
    runs.day_start + runs.shift_seconds + departure_seconds as departure,
    runs.day_offset
from runs
join placed_calls on placed_calls.trip_index = runs.trip_index
join feed_stops as stops on stops.stop_index = placed_calls.stop_index
where runs.feed_number = getvariable('feed_number') and runs.day_offset = getvariable('day_offset')
