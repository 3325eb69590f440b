-- Every staged row of the days of a batch (view staged_rows, table import_days), with its refusal code or null, and its
-- position in the trip. It holds what is needed to look around in a trip, no more: wide rows dominate the run time.
with read_rows as (
    select
        staged_rows.*,
        coalesce(arrival_scheduled_reading, departure_scheduled_reading) as reading,
        coalesce(arrival_scheduled_seconds, departure_scheduled_seconds) as seconds
    from staged_rows
    inner join import_days on staged_rows.service_date = import_days.service_date
),

judged as (
    select
        row_number,
        service_date,
        trip_id,
        position_number,
        has_positions,
        stop_id,
        recency,
        reading,
        seconds,
        arrival_is_cancelled,
        departure_is_cancelled,
        coalesce(departure_scheduled_reading, reading) as departs_reading,
        (arrival_is_reported and not arrival_is_doubtful_behind)
        or (departure_is_reported and not departure_is_doubtful_behind) as has_other_value,
        case
            when skip_code is not null then skip_code
            when trip_id is null then 'no_trip'
            when has_positions and position_number is null then 'no_position'
            when arrival_schedule_is_bad or departure_schedule_is_bad then 'impossible_time'
            when reading is null and seconds is null and not is_added then 'no_time'
            -- Trips begin on their service date or shortly before it, and end a few days later at most.
            when
                reading < service_date - interval 1 day
                or reading >= service_date + interval 5 days
                or seconds not between -86400 and 345600
                then 'impossible_time'
        end as row_code
    from read_rows
),

-- One call is one trip and position; where the archive has no positions, one stop and time.
keyed as (
    select
        *,
        if(has_positions, null, stop_id) as key_stop,
        if(has_positions, null, reading) as key_reading,
        if(has_positions, null, seconds) as key_seconds
    from judged
    where row_code is null
),

-- Few calls have several rows: counting is cheaper than sorting all of them, and counting hashes cheaper than keys. Rows
-- of two calls with the same hash are not copies of each other below.
repeated as (
    select hash(service_date, trip_id, position_number, key_stop, key_reading, key_seconds) as key_hash
    from keyed
    group by all
    having count(*) > 1
),

copies as (
    select
        row_number,
        row_number() over (
            partition by service_date, trip_id, position_number, key_stop, key_reading, key_seconds
            order by
                if(getvariable('keeps_last'), recency, -recency) desc nulls last,
                if(getvariable('keeps_last'), row_number, -row_number) desc
        ) as copy_number
    from keyed
    where
        hash(service_date, trip_id, position_number, key_stop, key_reading, key_seconds)
        in (select key_hash from repeated)
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
            partition by service_date, trip_id
            order by coalesce(reading, make_timestamp(seconds::bigint * 1000000)), row_number
        ) - 1 as place
    from checked
    where refused_code is null and not has_positions
)

select
    checked.row_number,
    checked.service_date,
    checked.trip_id,
    checked.reading,
    checked.departs_reading,
    checked.has_other_value,
    checked.arrival_is_cancelled,
    checked.departure_is_cancelled,
    checked.refused_code,
    coalesce(checked.position_number, places.place) as call_position
from checked
left join places on checked.row_number = places.row_number
