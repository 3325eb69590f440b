-- title: Polish passenger trains, planned and final times of every stop (Parquet)
-- source: pl_rail
-- format: parquet
-- zone: Europe/Warsaw
-- clock: utc
-- optional: train_no

-- The archive holds final times only. Its zeros are delays of less than a minute like all others: it publishes whole
-- minutes over a timetable that is finer.
select
    file_row_number,
    service_date,
    -- One number may stand for two trains of a day, which then have other names.
    coalesce(trip_name, '') || '#' || coalesce(trip_id, '') as trip_id,
    route as route_id,
    route as line_label,
    case lower(operator) when 'ic' then 'train' when 'skm' then 'sBahn' when 'skmt' then 'sBahn' else 'regionalTrain' end
        as product,
    operator,
    headsign as direction,
    train_no as trip_number,
    seq - 1 as position,
    stop as stop_id,
    stop as stop_name,
    stop as station_id,
    platform,
    arr_sched_utc as arrival_scheduled,
    arr_delay_s as arrival_delay_seconds,
    'observed_actual' as arrival_evidence,
    dep_sched_utc as departure_scheduled,
    dep_delay_s as departure_delay_seconds,
    'observed_actual' as departure_evidence,
    cancelled as arrival_is_cancelled,
    cancelled as departure_is_cancelled
from archive
