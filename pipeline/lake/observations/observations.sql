-- The observations of one service date (variable day, days since 1970) from the rows of the journal: 0 is unknown,
-- texts are numbers. Flags: 1 departure, 2 from a position, 4 cancelled, 8 forecast, 16 observed; from 32 on the
-- uncertainty plus one, in 17 bits, and then the occupancy, from 1 in the order of the list (variable occupancies).
with day_rows as (
    select
        *,
        -- The same 64 bits as a signed number: not every reader of Parquet supports unsigned ones.
        ((trip_key_high::ubigint << 32) | trip_key_low)::bit::bigint as trip_key,
        nullif(scheduled_time, 0) as scheduled,
        nullif((flags >> 5) & 131071, 0)::integer - 1 as uncertainty_seconds,
        case when uncertainty_seconds is not null or flags & 24 <> 0 then nullif("time", 0) end as happening,
        getvariable('occupancies')[nullif((flags >> 22)::bigint, 0)] as occupancy
    from observations
    where day = getvariable('day')
)

select
    trip_ids.value as trip_id,
    trip_key,
    route_ids.value as route_id,
    line_labels.value as line_label,
    position::integer as position,
    stop_ids.value as stop_id,
    case when flags & 1 <> 0 then 'departure' else 'arrival' end as event,
    case when flags & 2 <> 0 then 'positions' else 'stop_events' end as channel,
    make_timestamptz(scheduled::bigint * 1000000) as scheduled_time,
    -- A time that is derived from positions and too uncertain to count is an estimate.
    case when flags & 16 = 0 then make_timestamptz(happening::bigint * 1000000) end as estimated_time,
    case when flags & 16 <> 0 then make_timestamptz(happening::bigint * 1000000) end as observed_time,
    -- Times decades apart are an error, and their difference does not fit an integer.
    try_cast(happening::bigint - scheduled as integer) as delay_seconds,
    case when flags & 16 <> 0 then 'observed_actual' when flags & 8 <> 0 then 'forecast' else 'unknown' end as evidence,
    flags & 4 <> 0 as is_cancelled,
    platforms.value as platform,
    uncertainty_seconds,
    occupancy,
    make_timestamptz(nullif(recorded_at, 0)::bigint * 1000000) as recorded_at,
    make_timestamptz(first_seen_at::bigint * 1000000) as first_seen_at,
    make_timestamptz(last_seen_at::bigint * 1000000) as last_seen_at,
    raw_ids.value as raw_id
from day_rows
left join texts as trip_ids on trip_ids.number = day_rows.trip_id
left join texts as route_ids on route_ids.number = day_rows.route_id
left join texts as line_labels on line_labels.number = day_rows.line_label
left join texts as stop_ids on stop_ids.number = day_rows.stop_id
left join texts as platforms on platforms.number = day_rows.platform
left join texts as raw_ids on raw_ids.number = day_rows.raw_id
