-- The names of the keys of int_calls: one row for each place of a line and its station.
-- from: stg_stop_events
select
    @hash_key(feed_source, line, product, operator, stop_id) as place_key,
    @hash_key(line, product, operator) as line_key,
    @hash_key(line) as label_key,
    @hash_key(feed_source, station_id, case when feed_source = '' then source end) as station_key,
    feed_source,
    line,
    product,
    operator,
    stop_id,
    station_id,
    min(stop_name) as stop_name
from stg_stop_events
group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
