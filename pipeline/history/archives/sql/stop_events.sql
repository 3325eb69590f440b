-- Stop events of the days of a batch, from its calls (view batch_calls), and what was removed or repaired in them.
-- Columns with one value in all rows are missing: publishDays adds them.
with counted as (
    select
        *,
        if(event = 'arrival', arrival_time, departure_time) as counted_time,
        if(event = 'arrival', arrival_delay, departure_delay)::integer as counted_delay,
        if(event = 'arrival', arrival_actual_time, departure_actual_time) as counted_actual_time,
        if(event = 'arrival', known_arrival, known_departure) as known
    from batch_calls
),

moments as (
    select
        *,
        case
            when known = 'observed_actual'
                then coalesce(counted_time + to_seconds(counted_delay), counted_actual_time)
        end as seen_time
    from counted
)

select
    service_date,
    trip_id,
    trip_key,
    route_id,
    line_label,
    product,
    operator,
    direction,
    trip_number,
    call_position as position,
    stop_id,
    stop_name,
    station_id,
    lat,
    lon,
    event,
    make_timestamptz(epoch_us(counted_time)) as scheduled_time,
    if(is_last, null, make_timestamptz(epoch_us(departure_time))) as scheduled_departure_time,
    case
        when coalesce(counted_time, seen_time) >= zone.changes_at then zone.seconds_after // 60
        when coalesce(counted_time, seen_time) is not null then zone.seconds_before // 60
    end as utc_offset_minutes,
    if(known = 'forecast', counted_delay, null) as forecast_delay_seconds,
    make_timestamptz(epoch_us(seen_time)) as observed_time,
    if(known = 'observed_actual', counted_delay, null) as delay_seconds,
    if(not is_last and known_departure = 'observed_actual', departure_delay, null) as departure_delay_seconds,
    known as evidence,
    arrival_is_cancelled,
    departure_is_cancelled,
    is_added,
    platform,
    if(event = 'arrival', arrival_is_unknown, departure_is_unknown) as is_unknown_by_rule,
    arrival_is_impossible or departure_is_impossible as has_impossible_delay,
    arrival_reported_is_bad or departure_reported_is_bad as has_unreadable_value,
    is_day_late
from moments
