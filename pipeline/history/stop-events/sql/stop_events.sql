-- One row per call: those of the timetable, whether or not the source reported them, and reported ones in no timetable.
-- Added calls of a planned trip are numbered after the planned ones.
with bound_feeds as (
    select feed_number from day_feeds where is_bound
), planned as (
    select
        planned_calls.trip_key,
        planned_calls.position,
        planned_calls.feed_number,
        planned_calls.stop_index,
        planned_calls.stop_id,
        planned_calls.stop_headsign,
        planned_calls.arrival,
        planned_calls.departure,
        planned_calls.position = 0 or coalesce(cancelled_events.is_beginning, false) as is_departure,
        coalesce(cancelled_events.arrival_is_cancelled, false) as arrival_is_cancelled,
        coalesce(cancelled_events.departure_is_cancelled, false) as departure_is_cancelled,
        replaced_calls.call_number is not null as is_replaced,
        false as is_added,
        resolved_reports.* exclude (
            trip_key, position, stop_id, arrival, departure, is_departure, arrival_is_cancelled, departure_is_cancelled,
            call_number, place)
    from planned_calls
    left join resolved_reports using (call_number)
    left join cancelled_events using (call_number)
    left join replaced_calls using (call_number)
), only_stops as (
    select stop_id, min(feed_number) as feed_number, min(stop_index) as stop_index
    from day_stops
    semi join bound_feeds using (feed_number)
    group by stop_id
    having count(*) = 1
), added as (
    select
        resolved_reports.trip_key,
        (coalesce(runs.call_count, 0) + place - 1)::integer as position,
        only_stops.feed_number,
        only_stops.stop_index,
        nullif(resolved_reports.stop_id, '') as stop_id,
        null::varchar as stop_headsign,
        arrival,
        departure,
        is_departure,
        arrival_is_cancelled,
        departure_is_cancelled,
        false as is_replaced,
        true as is_added,
        resolved_reports.* exclude (
            trip_key, position, stop_id, arrival, departure, is_departure, arrival_is_cancelled, departure_is_cancelled,
            call_number, place)
    from resolved_reports
    left join only_stops using (stop_id)
    left join runs using (trip_key)
    where call_number is null
), calls as (
    select * from planned
    union all by name
    select * from added
), only_routes as (
    select route_id, any_value(line_label) as line_label, any_value(product) as product, any_value(operator) as operator
    from day_routes
    semi join bound_feeds using (feed_number)
    group by route_id
    having count(*) = 1
), timed as (
    select
        *,
        case when is_departure then departure else arrival end as scheduled,
        coalesce(observed, estimated) as expected,
        -- When a later call of the trip was last known to be ahead, or was observed.
        max(greatest(coalesce(forecast_seen, 0), coalesce(observed, 0))) over (
            partition by trip_key order by position rows between 1 following and unbounded following
        ) as went_on
    from calls
), described as (
    select
        timed.* exclude (trip_id, route_id, line_label),
        coalesce(runs.trip_id, timed.trip_id) as trip_id,
        coalesce(runs.route_id, timed.route_id) as route_id,
        coalesce(runs.line_label, timed.line_label, only_routes.line_label) as line_label,
        coalesce(runs.product, only_routes.product) as product,
        coalesce(runs.operator, only_routes.operator) as operator,
        coalesce(timed.stop_headsign, runs.direction) as direction,
        runs.trip_number,
        coalesce(runs.time_zone, getvariable('main_zone')) as time_zone,
        runs.call_count,
        runs.feed_number as trip_feed_number
    from timed
    left join runs using (trip_key)
    left join only_routes on only_routes.route_id = timed.route_id
)

select
    described.trip_id,
    described.trip_key,
    described.route_id,
    described.line_label,
    described.product,
    described.operator,
    described.direction,
    described.trip_number,
    described.position,
    described.stop_id,
    day_stops.stop_name,
    day_stops.station_id,
    day_stops.lat,
    day_stops.lon,
    case when is_departure then 'departure' else 'arrival' end as event,
    make_timestamptz(scheduled * 1000000) as scheduled_time,
    case when is_added or position < call_count - 1 then make_timestamptz(departure * 1000000) end
        as scheduled_departure_time,
    zone_spans.offset_minutes as utc_offset_minutes,
    try_cast(estimated - scheduled as integer) as forecast_delay_seconds,
    case when estimated - scheduled is not null then expected - least(forecast_seen, expected) end as forecast_age_seconds,
    coalesce(estimated - forecast_seen < 60 and went_on > estimated, false) as is_final_forecast,
    make_timestamptz(observed * 1000000) as observed_time,
    try_cast(observed - scheduled as integer) as delay_seconds,
    try_cast(departed - departure as integer) as departure_delay_seconds,
    uncertainty_seconds,
    occupancy,
    case
        when observed is not null then 'observed_actual'
        when has_forecast then 'forecast'
        else 'unknown'
    end as evidence,
    arrival_is_cancelled,
    departure_is_cancelled,
    is_replaced,
    is_added,
    platform,
    trim(day_stops.platform_code) <> platform as is_platform_changed,
    day_feeds.feed_source,
    day_feeds.feed_version,
    described.raw_id,
    getvariable('rules_version')::smallint as rules_version
from described
left join day_stops
    on day_stops.feed_number = described.feed_number and day_stops.stop_index = described.stop_index
left join day_feeds on day_feeds.feed_number = described.trip_feed_number
left join zone_spans
    on zone_spans.time_zone = described.time_zone
    and described.scheduled >= zone_spans.from_second
    and described.scheduled < zone_spans.to_second
