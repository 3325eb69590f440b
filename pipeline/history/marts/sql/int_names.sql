-- The names of the keys of int_calls: one row for each place of a line and its station.
-- from: stg_stop_events
select
    hash(feed_source, line, product, operator, stop_id) as place_key,
    hash(line, product, operator) as line_key,
    hash(line) as label_key,
    hash(feed_source, station_id, case when feed_source = '' then source end) as station_key,
    feed_source,
    line,
    product,
    operator,
    stop_id,
    station_id,
    min(stop_name) as stop_name
from stg_stop_events
group by all
