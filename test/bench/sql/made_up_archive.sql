-- Half a year of trains of a country in the format of the mapping pl_rail: one row per call, ordered by day.
-- from: variable archive_days
with trips as (
    select
        date '2025-02-20' + day::integer as service_date,
        trip,
        trip % 420 as line,
        (300 + hash(trip) % 900)::integer as first_minute
    from range(getvariable('archive_days')) as days(day)
    cross join range(1540) as trips(trip)
)

select
    service_date,
    concat('KM ', 10000 + trip, ' "Żeglarz ', line, '"') as trip_name,
    (100000 + trip)::varchar as trip_id,
    concat('R', line) as route,
    (10000 + trip)::varchar as train_no,
    concat('Miasto Główne ', line % 97) as headsign,
    if(line % 5 = 0, 'IC', 'KM') as operator,
    seq::smallint as seq,
    concat('Stacja ', (line * 13 + seq * 7) % 2600) as stop,
    service_date + to_minutes(first_minute + 5 * seq - 1) as arr_sched_utc,
    60 * (hash(service_date, trip, seq // 4) % 12)::bigint as arr_delay_s,
    service_date + to_minutes(first_minute + 5 * seq) as dep_sched_utc,
    60 * (hash(service_date, trip, seq // 4) % 12)::bigint as dep_delay_s,
    ((line + seq) % 8)::varchar as platform,
    hash(service_date, trip) % 60 = 0 as cancelled
from trips
cross join range(1, 19) as calls(seq)
order by service_date, route, trip_id, seq
