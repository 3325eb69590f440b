-- The calls of one service date (table call_rows without refused rows): instants instead of local times, placeholders
-- removed, and the counted event. Window functions get only the columns that they need: sorting whole rows dominates
-- the run time.
with places as (
    select
        row_number,
        call_position = min(call_position) over trip as is_first,
        call_position = max(call_position) over trip as is_last,
        min(reading) over (
            partition by trip_id order by call_position rows between 1 following and unbounded following
        ) as next_reading,
        coalesce(
            max(coalesce(departure_scheduled_reading, reading)) over (
                partition by trip_id order by call_position rows between unbounded preceding and 1 preceding
            ) > reading,
            false
        ) as is_second,
        -- The last call of the trip with a value other than the placeholder.
        max(call_position) filter (
            (arrival_is_reported and not arrival_is_doubtful_behind)
            or (departure_is_reported and not departure_is_doubtful_behind)
        ) over trip as last_reported_position
    from call_rows
    where refused_code is null
    window trip as (partition by trip_id)
),

placed as (
    select
        call_rows.*,
        places.* exclude (row_number),
        place_id is not null and place_id in (from placeholder_places) as is_placeholder_place
    from call_rows
    inner join places on call_rows.row_number = places.row_number
),

repaired as (
    select
        *,
        coalesce(getvariable('repairs_days') and reading > next_reading + interval 12 hours, false) as is_day_late
    from placed
),

planned as (
    select
        *,
        coalesce(
            to_moment(arrival_scheduled_reading - to_days(is_day_late::integer), is_second),
            getvariable('day_start') + to_seconds(arrival_scheduled_seconds)
        ) as arrival_time,
        coalesce(
            to_moment(
                departure_scheduled_reading - to_days(is_day_late::integer),
                is_second or coalesce(departure_scheduled_reading < arrival_scheduled_reading, false)
            ),
            getvariable('day_start') + to_seconds(departure_scheduled_seconds)
        ) as departure_time
    from repaired
),

-- Of the two instants of a repeated local time, the one closer to the schedule is taken.
happened as (
    select
        *,
        coalesce(
            to_moment(
                arrival_actual_reading,
                abs(epoch(to_moment(arrival_actual_reading, true) - arrival_time))
                < abs(epoch(to_moment(arrival_actual_reading, false) - arrival_time))
            ),
            getvariable('day_start') + to_seconds(arrival_actual_seconds)
        ) as arrival_actual_time,
        coalesce(
            to_moment(
                departure_actual_reading,
                abs(epoch(to_moment(departure_actual_reading, true) - departure_time))
                < abs(epoch(to_moment(departure_actual_reading, false) - departure_time))
            ),
            getvariable('day_start') + to_seconds(departure_actual_seconds)
        ) as departure_actual_time
    from planned
),

delayed as (
    select
        *,
        coalesce(arrival_reported_delay, date_diff('second', arrival_time, arrival_actual_time)) as arrival_delay,
        coalesce(departure_reported_delay, date_diff('second', departure_time, departure_actual_time)) as departure_delay,
        arrival_is_doubtful
        or (arrival_is_doubtful_behind and coalesce(call_position > last_reported_position, false))
        or (arrival_is_doubtful_at_placeholder_place and is_placeholder_place) as arrival_is_unknown,
        departure_is_doubtful
        or (departure_is_doubtful_behind and coalesce(call_position > last_reported_position, false))
        or (departure_is_doubtful_at_placeholder_place and is_placeholder_place) as departure_is_unknown
    from happened
),

believed as (
    select
        *,
        coalesce(
            not arrival_delay between -getvariable('early_seconds') and getvariable('late_seconds'), false
        ) as arrival_is_impossible,
        coalesce(
            not departure_delay between -getvariable('early_seconds') and getvariable('late_seconds'), false
        ) as departure_is_impossible,
        -- Where the counted event has no scheduled time, the other event replaces it.
        case
            when if(is_first, getvariable('first_event'), getvariable('other_event')) = 'arrival'
                then if(arrival_time is null and departure_time is not null, 'departure', 'arrival')
            else if(departure_time is null and arrival_time is not null, 'arrival', 'departure')
        end as event
    from delayed
)

select
    *,
    case
        when is_cancelled or arrival_is_unknown or arrival_is_impossible then 'unknown'
        when coalesce(arrival_delay::varchar, arrival_actual_time::varchar) is null then 'unknown'
        else arrival_evidence
    end as known_arrival,
    case
        when is_cancelled or departure_is_unknown or departure_is_impossible then 'unknown'
        when coalesce(departure_delay::varchar, departure_actual_time::varchar) is null then 'unknown'
        else departure_evidence
    end as known_departure
from believed
