-- The calls of a batch (table call_rows without refused rows): instants instead of local times, placeholders removed, which
-- events are cancelled, and the counted event. Where a trip ends early, the departure from its last stop is cancelled;
-- where it begins late, the arrival at its first stop. An archive's cancellation outranks its delays.
with neighbours as (
    -- Only for trips whose days may be repaired, or whose clocks may change: windows sort their rows.
    select
        call_rows.row_number,
        min(call_rows.reading) over (
            trip rows between 1 following and unbounded following
        ) as next_reading,
        max(call_rows.departs_reading) over (trip rows between unbounded preceding and 1 preceding)
        > call_rows.reading as is_second
    from call_rows
    inner join import_days on call_rows.service_date = import_days.service_date
    where
        call_rows.refused_code is null
        and (getvariable('repairs_days') or import_days.zone.seconds_before != import_days.zone.seconds_after)
    window trip as (partition by call_rows.service_date, call_rows.trip_id order by call_rows.call_position)
),

placed as (
    select
        staged_rows.* exclude (arrival_is_cancelled, departure_is_cancelled),
        staged_rows.arrival_is_cancelled or coalesce(
                archive_trips.begins_at > archive_trips.first_position
                and call_rows.call_position <= archive_trips.begins_at,
                false
            )
            as arrival_is_cancelled,
        staged_rows.departure_is_cancelled or coalesce(
                archive_trips.ends_at < archive_trips.last_position
                and call_rows.call_position >= archive_trips.ends_at,
                false
            )
            as departure_is_cancelled,
        import_days.* exclude (service_date),
        archive_trips.* exclude (service_date, trip_id),
        call_rows.reading,
        call_rows.call_position,
        call_rows.call_position = archive_trips.first_position as is_first,
        call_rows.call_position = archive_trips.last_position as is_last,
        neighbours.next_reading,
        coalesce(neighbours.is_second, false) as is_second,
        staged_rows.place_id is not null and staged_rows.place_id in (from placeholder_places) as is_placeholder_place
    from staged_rows
    inner join call_rows on staged_rows.row_number = call_rows.row_number
    inner join import_days on call_rows.service_date = import_days.service_date
    inner join archive_trips
        on call_rows.service_date = archive_trips.service_date and call_rows.trip_id = archive_trips.trip_id
    left join neighbours on call_rows.row_number = neighbours.row_number
    where call_rows.refused_code is null
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
            to_instant(arrival_scheduled_reading - to_days(is_day_late::integer), is_second, zone),
            day_start + to_seconds(arrival_scheduled_seconds)
        ) as arrival_time,
        coalesce(
            to_instant(
                departure_scheduled_reading - to_days(is_day_late::integer),
                is_second or coalesce(departure_scheduled_reading < arrival_scheduled_reading, false),
                zone
            ),
            day_start + to_seconds(departure_scheduled_seconds)
        ) as departure_time
    from repaired
),

-- Of the two instants of a repeated local time, the one closer to the schedule is taken.
happened as (
    select
        *,
        coalesce(
            to_instant(
                arrival_actual_reading,
                abs(epoch(to_instant(arrival_actual_reading, true, zone) - arrival_time))
                < abs(epoch(to_instant(arrival_actual_reading, false, zone) - arrival_time)),
                zone
            ),
            day_start + to_seconds(arrival_actual_seconds)
        ) as arrival_actual_time,
        coalesce(
            to_instant(
                departure_actual_reading,
                abs(epoch(to_instant(departure_actual_reading, true, zone) - departure_time))
                < abs(epoch(to_instant(departure_actual_reading, false, zone) - departure_time)),
                zone
            ),
            day_start + to_seconds(departure_actual_seconds)
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
        end as usual_event
    from delayed
),

chosen as (
    select
        * exclude (arrival_is_cancelled, departure_is_cancelled, usual_event),
        -- Where it is cancelled and the other one is not, the other event replaces it too.
        case
            when usual_event = 'arrival' and arrival_is_cancelled and not departure_is_cancelled and not is_last
                and departure_time is not null
                then 'departure'
            when usual_event = 'departure' and departure_is_cancelled and not arrival_is_cancelled and not is_first
                and arrival_time is not null
                then 'arrival'
            else usual_event
        end as event,
        -- The first call has no arrival and the last one no departure, unless that is the event that counts.
        arrival_is_cancelled and (event = 'arrival' or not is_first) as arrival_is_cancelled,
        departure_is_cancelled and (event = 'departure' or not is_last) as departure_is_cancelled
    from believed
)

select
    *,
    case
        when arrival_is_cancelled or arrival_is_unknown or arrival_is_impossible then 'unknown'
        when arrival_delay is null and arrival_actual_time is null then 'unknown'
        else arrival_evidence
    end as known_arrival,
    case
        when departure_is_cancelled or departure_is_unknown or departure_is_impossible then 'unknown'
        when departure_delay is null and departure_actual_time is null then 'unknown'
        else departure_evidence
    end as known_departure
from chosen
