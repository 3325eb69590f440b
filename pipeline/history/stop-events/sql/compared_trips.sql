-- The dated trips of one feed on the day, or on the date day_offset days after it, with what duplicates are found by.
with first_stops as (
    select trip_index, arg_min(stop_index, stop_sequence) as stop_index
    from feed_calls
    semi join day_trips using (trip_index)
    group by trip_index
)

select
    runs.feed_number,
    runs.trip_index,
    runs.shift_seconds,
    runs.trip_key,
    trips.trip_id,
    runs.product,
    coalesce(nullif(routes.route_short_name, ''), nullif(routes.route_long_name, ''), '') as label,
    trips.trip_short_name as short_name,
    coalesce(frequencies.is_repeated, false) as is_repeated,
    -- How much its publisher says about it, as the snapshot counts it.
    (
        (trips.trip_headsign is not null)::integer
        + (trips.trip_short_name is not null)::integer
        + (trips.direction_id is not null)::integer
        + (trips.shape_index is not null)::integer
        + coalesce(trips.wheelchair_accessible in (1, 2), false)::integer
        + coalesce(trips.bikes_allowed in (1, 2), false)::integer
        + (nullif(stops.platform_code, '') is not null)::integer
    ) as facts,
    runs.day_offset
from runs
join feed_trips as trips on trips.trip_index = runs.trip_index
join feed_routes as routes on routes.route_index = trips.route_index
join first_stops on first_stops.trip_index = runs.trip_index
join feed_stops as stops on stops.stop_index = first_stops.stop_index
left join (select distinct trip_index, true as is_repeated from feed_frequencies) as frequencies
    on frequencies.trip_index = runs.trip_index
where runs.feed_number = getvariable('feed_number') and runs.day_offset = getvariable('day_offset')
