-- title: Hungarian trains, snapshots of a live service or their final state (Parquet)
-- source: hu_rail
-- format: parquet
-- zone: Europe/Budapest
-- clock: local
-- keep: last
-- placeholders: after_last_other, never_other
-- never_other_rows: 10
-- repairs_days: true

-- Of several snapshots of a train the newest is the most complete. Stops still to come read 0, and delays behind the
-- last reported one are unknown. Stops on foreign soil read 0 for ever, also in front of the first one at home. The
-- first stop of many trains has the date of the day after, which repairs_days puts right.
select
    file_row_number,
    service_date,
    trip_id,
    pos - 1 as position,
    station as stop_id,
    station as stop_name,
    station as station_id,
    platform,
    -- A stop has one planned time in this archive, for both events.
    sched_local as arrival_scheduled,
    arr_delay_min as arrival_delay_minutes,
    'observed_actual' as arrival_evidence,
    arr_delay_min = 0 as arrival_is_placeholder,
    sched_local as departure_scheduled,
    dep_delay_min as departure_delay_minutes,
    'observed_actual' as departure_evidence,
    dep_delay_min = 0 as departure_is_placeholder,
    epoch(req_utc) as recency
from archive
