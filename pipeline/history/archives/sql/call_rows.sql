-- Every staged row of one service date (view staged_rows), with its refusal code or null, and its position in the trip.
-- Times are still in the archive's clock.
with read_rows as (
    select
        *,
        coalesce(arrival_scheduled_reading, departure_scheduled_reading) as reading,
        coalesce(arrival_scheduled_seconds, departure_scheduled_seconds) as seconds
    from staged_rows
),

judged as (
    select
        *,
        case
            when skip_code is not null then skip_code
            when trip_id is null then 'no_trip'
            when has_positions and position_number is null then 'no_position'
            when arrival_schedule_is_bad or departure_schedule_is_bad then 'impossible_time'
            when reading is null and seconds is null and not is_added then 'no_time'
            -- Trips begin on their service date or shortly before it, and end a few days later at most.
            when
                reading < getvariable('service_date') - interval 1 day
                or reading >= getvariable('service_date') + interval 5 days
                or seconds not between -86400 and 345600
                then 'impossible_time'
        end as row_code
    from read_rows
),

-- Window functions get only the columns that they need: sorting whole rows dominates the run time.
copies as (
    select
        row_number,
        row_number() over (
            partition by
                trip_id,
                position_number,
                if(has_positions, null, stop_id),
                if(has_positions, null, reading),
                if(has_positions, null, seconds)
            order by
                if(getvariable('keeps_last'), recency, -recency) desc nulls last,
                if(getvariable('keeps_last'), row_number, -row_number) desc
        ) as copy_number
    from judged
    where row_code is null
),

checked as (
    select
        judged.* exclude (row_code),
        case
            when row_code is not null then row_code
            when row_number in (select row_number from copies where copy_number > 1) then 'duplicate'
        end as refused_code
    from judged
),

-- Where the archive has no positions, the remaining rows are ordered by their times.
places as (
    select
        row_number,
        row_number() over (
            partition by trip_id
            order by coalesce(reading, make_timestamp(seconds::bigint * 1000000)), row_number
        ) - 1 as place
    from checked
    where refused_code is null and not has_positions
)

select
    checked.*,
    coalesce(checked.position_number, places.place) as call_position
from checked
left join places on checked.row_number = places.row_number
