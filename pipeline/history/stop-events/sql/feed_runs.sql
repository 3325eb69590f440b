-- The dated trips of one feed on the day, with the facts that hold for all of their calls. A trip of a frequency has
-- its start appended to its trip id, so that ids are unique.
with ends as (
    select trip_index, count(*) as call_count, arg_max(stop_index, stop_sequence) as last_stop_index
    from feed_calls
    semi join day_trips using (trip_index)
    group by trip_index
), numbered_runs as (
    select
        day_row,
        ((key_high::ubigint << 32) | key_low)::bit::bigint as trip_key,
        case when is_repeated = 1 then start_seconds end as start_seconds
    from day_runs
)

select
    getvariable('feed_number')::integer as feed_number,
    day_trips.trip_index,
    numbered_runs.trip_key,
    case
        when start_seconds is null then day_trips.trip_id
        else format(
            '{} {:02d}:{:02d}:{:02d}',
            day_trips.trip_id, start_seconds // 3600, start_seconds // 60 % 60, start_seconds % 60)
    end as trip_id,
    coalesce(start_seconds::bigint - first_departure, 0) as shift_seconds,
    ends.call_count,
    trips.trip_short_name as trip_number,
    routes.route_id,
    routes.line_label,
    routes.product,
    routes.operator,
    routes.time_zone,
    day_starts.day_start,
    coalesce(trips.trip_headsign, last_stops.stop_name) as direction,
    getvariable('day_offset')::integer as day_offset
from numbered_runs
join day_trips on day_trips.day_row = numbered_runs.day_row
join feed_trips as trips on trips.trip_index = day_trips.trip_index
join ends on ends.trip_index = day_trips.trip_index
join day_routes as routes
    on routes.route_index = trips.route_index and routes.feed_number = getvariable('feed_number')
join day_starts
    on day_starts.time_zone = routes.time_zone and day_starts.day_offset = getvariable('day_offset')
join feed_stops as last_stops on last_stops.stop_index = ends.last_stop_index
