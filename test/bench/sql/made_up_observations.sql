-- Observations of every scheduled call of a day, as stored in the lake: two forecasts and one observed time.
-- from: planned_calls, runs; variable source_name
with

calls as (
    select
        runs.trip_id,
        planned_calls.trip_key,
        runs.route_id,
        runs.line_label,
        planned_calls.position,
        planned_calls.stop_id,
        case when planned_calls.position = 0 then 'departure' else 'arrival' end as event,
        case when planned_calls.position = 0 then departure else arrival end as scheduled,
        hash(planned_calls.trip_key, planned_calls.position) as dice,
        (hash(planned_calls.trip_key) % 400)::bigint - 60 as trip_delay
    from planned_calls
    inner join runs using (trip_key)
),

words as (
    select
        calls.*,
        word,
        trip_delay + ((dice >> (8 * word)) % 90)::bigint as delay_seconds,
        case word when 0 then -1800 when 1 then -600 else 15 end as first_seen,
        case word when 0 then -600 when 1 then -30 else 400 end as last_seen
    from calls
    cross join range(3) as words(word)
),

timed as (
    select
        *,
        make_timestamp((scheduled + delay_seconds) * 1000000) as happening,
        scheduled + trip_delay as about
    from words
)

select
    trip_id,
    trip_key,
    route_id,
    line_label,
    position,
    stop_id,
    event,
    'stop_events' as channel,
    make_timestamp(scheduled * 1000000) as scheduled_time,
    case when word < 2 then happening end as estimated_time,
    case when word = 2 then happening end as observed_time,
    delay_seconds,
    case when word < 2 then 'forecast' else 'observed_actual' end as evidence,
    false as is_cancelled,
    null as platform,
    null as uncertainty_seconds,
    null as occupancy,
    make_timestamp((about + first_seen) * 1000000) as recorded_at,
    make_timestamp((about + first_seen) * 1000000) as first_seen_at,
    make_timestamp((about + last_seen) * 1000000) as last_seen_at,
    format('source={}/fetch_date=2026-03-10/{:08d}-trips.pb.gz', getvariable('source_name'), (about + first_seen) // 30) as raw_id
from timed
