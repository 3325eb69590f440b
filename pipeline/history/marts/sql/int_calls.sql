-- The planned calls of one day with numeric keys, since a day has half a million calls and each is grouped several
-- times. Keys are hashes of names; int_names has the names, and a check asserts that no two share a key.
-- from: stg_stop_events, day_sources
select
    day_sources.number as source_number,
    @hash_key(feed_source, line, product, operator, stop_id) as place_key,
    @hash_key(line, product, operator) as line_key,
    @hash_key(line) as label_key,
    @hash_key(direction) as direction_key,
    -- Archives without a timetable have separate ids.
    @hash_key(feed_source, station_id, case when feed_source = '' then source end) as station_key,
    line <> '' as has_line,
    event = 'arrival' as is_arrival,
    @epoch_seconds(scheduled_time) as scheduled,
    @epoch_seconds(scheduled_departure_time) as scheduled_departure,
    cast(@iso_weekday(local_time) as tinyint) as dow,
    cast(hour(local_time) as tinyint) as hour,
    is_cancelled,
    departure_is_cancelled,
    is_replaced,
    is_counted,
    cast(evidence_rank as tinyint) as evidence_rank,
    delay_seconds,
    forecast_delay_seconds,
    is_derived,
    is_final_forecast,
    departure_delay_seconds
from stg_stop_events
inner join day_sources using (source)
