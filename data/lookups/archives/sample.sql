-- title: Past days of the made-up country, as its publishers have them on record (CSV, one file a day and publisher)
-- source: stmk_gtfs_rt
-- timetable: sample
-- format: csv
-- zone: Europe/Vienna
-- clock: service
-- optional: trip_number

select
    file_row_number,
    service_date,
    trip_id,
    route_id,
    line as line_label,
    product,
    operator,
    headsign as direction,
    trip_number,
    try_cast(stop_sequence as integer) - 1 as position,
    stop_id,
    stop_name,
    station_id,
    stop_lat as lat,
    stop_lon as lon,
    platform,
    -- Events that were never reported have no time.
    scheduled_arrival as arrival_scheduled,
    arrival as arrival_actual,
    'observed_actual' as arrival_evidence,
    scheduled_departure as departure_scheduled,
    departure as departure_actual,
    'observed_actual' as departure_evidence,
    lower(is_cancelled) = 'true' as arrival_is_cancelled,
    lower(is_cancelled) = 'true' as departure_is_cancelled,
    lower(is_added) = 'true' as is_added
from archive
