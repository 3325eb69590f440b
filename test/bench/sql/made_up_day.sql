-- Stop events of one day from one source; variables day, day_kind, source_name, source_share (it reports every n-th line).
-- Delays are a random walk along the trip in whole seconds, so that neighbouring calls have similar delays; forecasts are
-- off by some seconds; every poll of 30 s has a raw id.
with

calls as (
    select
        *,
        hash(trip_key, getvariable('day'), getvariable('source_name')) as dice,
        hash(trip_key, getvariable('day')) as trip_dice
    from base_calls
    where day_kind = getvariable('day_kind') and line % getvariable('source_share') = 0
),

steps as (
    select
        *,
        sqrt(-2 * ln(1 - uniform(trip_dice, position))) * cos(2 * pi() * uniform(trip_dice, position + 1000)) as normal,
        uniform(trip_dice, 7777) as trip_chance
    from calls
),

walked as (
    select
        *,
        -- Initial delay, larger in the rush hours; it varies by some seconds from call to call.
        (
            -20 - 75 * ln(1 - uniform(trip_dice, 8888)) * (1 + 0.8 * (arrival_seconds // 3600 in (7, 8, 16, 17))::int)
            + sum(24 * normal + 3) over (partition by trip_id order by position)
        )::int as true_delay
    from steps
),

facts as (
    select
        *,
        trip_chance < 0.012 as cancelled,
        trip_chance >= 0.012 and trip_chance < 0.85 and uniform(dice, position + 2000) < 0.97 as observed,
        trip_chance >= 0.85 and trip_chance < 0.97 as forecast_only,
        getvariable('day')::timestamp + to_seconds(arrival_seconds - 3600) as scheduled
    from walked
)

select
    trip_id,
    trip_key,
    'r-26-' || line || '-j26-1' as route_id,
    case product when 'regionalTrain' then 'R' else '' end || line as line_label,
    product,
    'Operator ' || (line % 37) as operator,
    'Terminus of line ' || line || ' ' || direction as direction,
    null as trip_number,
    position,
    format('at:4{}:{}:0:{}', station % 9, station, 1 + direction + 2 * (line % 2)) as stop_id,
    format('Place {} Street {}', station // 9, station) as stop_name,
    format('Pat:4{}:{}', station % 9, station) as station_id,
    round(46.5 + 2.4 * uniform(station, direction + 10), 6) as lat,
    round(9.6 + 7.4 * uniform(station, direction + 20), 6) as lon,
    case when position = 0 then 'departure' else 'arrival' end as event,
    scheduled as scheduled_time,
    case
        when position < stops - 1 then scheduled + to_seconds(60 * (uniform(line, position + 50) < 0.1)::int)
    end as scheduled_departure_time,
    60 as utc_offset_minutes,
    case
        when observed or forecast_only then (true_delay + 20 * normal + 15 * uniform(dice, position + 3000))::int
    end as forecast_delay_seconds,
    case
        when observed or forecast_only then (30 - 31 * ln(1 - uniform(dice, position + 4000)))::int
    end as forecast_age_seconds,
    false as is_final_forecast,
    case when observed then scheduled + to_seconds(true_delay) end as observed_time,
    case when observed then true_delay end as delay_seconds,
    case
        when observed and position < stops - 1 then true_delay - (12 * ln(1 - uniform(dice, position + 5000)))::int
    end as departure_delay_seconds,
    null as uncertainty_seconds,
    null as occupancy,
    case when observed then 'observed_actual' when forecast_only then 'forecast' else 'unknown' end as evidence,
    cancelled and position > 0 as arrival_is_cancelled,
    cancelled and position < stops - 1 as departure_is_cancelled,
    false as is_replaced,
    false as is_added,
    case when product = 'regionalTrain' then (1 + (hash(line, station) % 9))::varchar end as platform,
    case when product = 'regionalTrain' then uniform(dice, position + 6000) < 0.02 end as is_platform_changed,
    'national' as feed_source,
    '0f3a9c41d2b8e765' as feed_version,
    case
        when observed or forecast_only or cancelled then
            format(
                'source={}/fetch_date={}/{:05d}-trips-{:016x}.pb.gz',
                getvariable('source_name'),
                getvariable('day'),
                ((arrival_seconds + true_delay) // 30) * 30,
                hash((arrival_seconds + true_delay) // 30, getvariable('day'), getvariable('source_name'))
            )
    end as raw_id,
    1 as rules_version
from facts
