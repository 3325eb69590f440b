-- The observations of a slice of the day's trips, one by one: invalid ones are refused, with a reason. Trips are
-- processed slice by slice, so that a national day takes no more memory than a city's.
with observations as (
    select
        (file_number::ubigint << 32) | file_row_number::ubigint as observation_number,
        trip_key,
        trip_id,
        route_id,
        line_label,
        position,
        coalesce(stop_id, '') as stop_id,
        event,
        channel,
        epoch(scheduled_time)::bigint as scheduled,
        epoch(estimated_time)::bigint as estimated,
        epoch(observed_time)::bigint as observed,
        uncertainty_seconds,
        occupancy,
        evidence,
        is_cancelled,
        nullif(trim(platform), '') as platform,
        epoch(first_seen_at)::bigint as first_seen,
        epoch(last_seen_at)::bigint as last_seen,
        raw_id
    from day_observations
    where (coalesce(trip_key, 0) & 2147483647) % getvariable('slice_count') = getvariable('slice')
)

select
    *,
    -- By report time; rows of equal time are ordered too, so that the same rows always give the same result.
    (first_seen::uhugeint << 96)
        | (last_seen::uhugeint << 64)
        | md5_number_lower(concat_ws(chr(31), raw_id, evidence, estimated, observed, is_cancelled, platform, occupancy))::uhugeint
        as report_order,
    case
        when trip_key is null or trip_id is null or position is null then 'no_call'
        when trip_key in (select trip_key from redated_trips) then 'other_service_date'
        when event not in ('arrival', 'departure') or channel not in ('stop_events', 'positions') then 'unknown_kind'
        when first_seen is null or last_seen is null then 'no_observation_time'
        when evidence = 'observed_actual' and observed is null then 'no_time'
        when evidence = 'forecast' and estimated is null then 'no_time'
        -- The publisher's clock may be a minute ahead of the poller's clock; nothing is observed before it happens.
        when observed > last_seen + 60 then 'observed_in_future'
        when abs(coalesce(observed, estimated) - scheduled) > 86400 then 'implausible_time'
    end as refusal
from observations
