-- Dated trips with a number, over all sources together, each call once. Only observed times count; the last one decides
-- whether the trip was on time.
-- from: stg_stop_events, built_day
with

calls as (
    select
        *,
        -- Archives without a timetable have separate ids.
        case when feed_source = '' then source else '*' end as counts_to,
        case when evidence_rank = 0 then delay_seconds end as observed_delay
    from stg_stop_events
    where is_counted and trip_number <> ''
),

counted as (
    select
        counts_to,
        feed_source,
        trip_id,
        -- Sources may describe the same trip differently.
        max(trip_number) as trip_number,
        max(line) as line,
        max(product) as product,
        max(operator) as operator,
        min_by(stop_name, position) as first_stop_name,
        max_by(stop_name, position) as last_stop_name,
        min_by(hour(local_time) * 60 + minute(local_time), position) as first_departure_minutes,
        count(*) as scheduled,
        count(observed_delay) as observed,
        count(*) filter (where is_cancelled) as cancelled,
        max_by(observed_delay, position) filter (where observed_delay is not null) as final_delay_seconds,
        max(observed_delay) as max_delay_seconds
    from calls
    group by counts_to, feed_source, trip_id
)

select
    built_day.service_date,
    counts_to as source,
    feed_source,
    trip_id,
    trip_number,
    line,
    product,
    operator,
    first_stop_name,
    last_stop_name,
    first_departure_minutes,
    built_day.rules_version,
    scheduled,
    observed,
    cancelled,
    final_delay_seconds,
    max_delay_seconds
from counted
cross join built_day
