-- Rows of a mapping's query (view staged_files), parsed: times as local times or as seconds of the service day, delays
-- in seconds, and flags for what cannot be parsed.
with read_values as (
    select
        *,
        clock_reading(arrival_scheduled) as arrival_scheduled_reading,
        service_seconds(arrival_scheduled) as arrival_scheduled_seconds,
        clock_reading(arrival_actual) as arrival_actual_reading,
        service_seconds(arrival_actual) as arrival_actual_seconds,
        coalesce(try_cast(arrival_delay_seconds as double), try_cast(arrival_delay_minutes as double) * 60)
            as arrival_delay,
        clock_reading(departure_scheduled) as departure_scheduled_reading,
        service_seconds(departure_scheduled) as departure_scheduled_seconds,
        clock_reading(departure_actual) as departure_actual_reading,
        service_seconds(departure_actual) as departure_actual_seconds,
        coalesce(try_cast(departure_delay_seconds as double), try_cast(departure_delay_minutes as double) * 60)
            as departure_delay
    from staged_files
),

reported_rows as (
    select
        *,
        arrival_delay is not null
        or arrival_actual_reading - arrival_scheduled_reading is not null
        or arrival_actual_seconds - arrival_scheduled_seconds is not null as arrival_is_reported,
        departure_delay is not null
        or departure_actual_reading - departure_scheduled_reading is not null
        or departure_actual_seconds - departure_scheduled_seconds is not null as departure_is_reported,
        getvariable('placeholders') as placeholders
    from read_values
)

select
    file_row_number as row_number,
    service_day as service_date,
    trip_id,
    route_id,
    line_label,
    product,
    operator,
    direction,
    trip_number,
    stop_id,
    stop_name,
    station_id,
    platform,
    try_cast(lat as double) as lat,
    try_cast(lon as double) as lon,
    case when try_cast(position as integer) between 0 and 65535 then try_cast(position as integer) end
        as position_number,
    getvariable('has_positions') as has_positions,
    is_cancelled or arrival_is_cancelled as arrival_is_cancelled,
    is_cancelled or departure_is_cancelled as departure_is_cancelled,
    is_added,
    skip_code,
    try_cast(recency as double) as recency,
    coalesce(station_id, stop_id) as place_id,

    arrival_scheduled_reading,
    arrival_scheduled_seconds,
    arrival_scheduled is not null and arrival_scheduled_reading is null and arrival_scheduled_seconds is null
        as arrival_schedule_is_bad,
    try_cast(round(arrival_delay) as integer) as arrival_reported_delay,
    arrival_actual_reading,
    arrival_actual_seconds,
    (arrival_delay_seconds is not null or arrival_delay_minutes is not null or arrival_actual is not null)
    and arrival_delay is null and arrival_actual_reading is null and arrival_actual_seconds is null
        as arrival_reported_is_bad,
    if(arrival_evidence in ('observed_actual', 'forecast'), arrival_evidence, 'unknown') as arrival_evidence,
    arrival_is_reported,
    arrival_is_reported and arrival_is_placeholder and list_contains(placeholders, 'always') as arrival_is_doubtful,
    arrival_is_reported and arrival_is_placeholder and list_contains(placeholders, 'after_last_other')
        as arrival_is_doubtful_behind,
    arrival_is_reported and arrival_is_placeholder and list_contains(placeholders, 'never_other')
        as arrival_is_doubtful_at_placeholder_place,

    departure_scheduled_reading,
    departure_scheduled_seconds,
    departure_scheduled is not null and departure_scheduled_reading is null and departure_scheduled_seconds is null
        as departure_schedule_is_bad,
    try_cast(round(departure_delay) as integer) as departure_reported_delay,
    departure_actual_reading,
    departure_actual_seconds,
    (departure_delay_seconds is not null or departure_delay_minutes is not null or departure_actual is not null)
    and departure_delay is null and departure_actual_reading is null and departure_actual_seconds is null
        as departure_reported_is_bad,
    if(departure_evidence in ('observed_actual', 'forecast'), departure_evidence, 'unknown') as departure_evidence,
    departure_is_reported,
    departure_is_reported and departure_is_placeholder and list_contains(placeholders, 'always')
        as departure_is_doubtful,
    departure_is_reported and departure_is_placeholder and list_contains(placeholders, 'after_last_other')
        as departure_is_doubtful_behind,
    departure_is_reported and departure_is_placeholder and list_contains(placeholders, 'never_other')
        as departure_is_doubtful_at_placeholder_place
from reported_rows
