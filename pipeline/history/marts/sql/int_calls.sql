-- The planned calls of one day with numeric keys, since a day has half a million calls and each is grouped several
-- times. Keys are hashes of names; int_names has the names, and a check asserts that no two share a key.
-- from: stg_stop_events, day_sources
select
    day_sources.number as source_number,
    feed_source <> '' as has_timetable,
    hash(feed_source, trip_id) as trip_key,
    position,
    hash(feed_source, line, product, operator, stop_id) as place_key,
    hash(line, product, operator) as line_key,
    hash(line) as label_key,
    hash(direction) as direction_key,
    -- Archives without a timetable have ids of their own.
    hash(feed_source, station_id, case when feed_source = '' then source end) as station_key,
    line <> '' as has_line,
    event = 'arrival' as is_arrival,
    epoch(scheduled_time)::bigint as scheduled,
    epoch(scheduled_departure_time)::bigint as scheduled_departure,
    isodow(local_time)::tinyint as dow,
    hour(local_time)::tinyint as hour,
    is_cancelled,
    is_counted,
    evidence_rank::tinyint as evidence_rank,
    delay_seconds,
    forecast_delay_seconds,
    departure_delay_seconds
from stg_stop_events
inner join day_sources using (source)
