-- Keys of more than one name: collisions of 64-bit hashes, which are very unlikely.
with

pairs as (
    select 'place' as kind, place_key as key, @row_text(feed_source, line, product, operator, stop_id) as name from int_names
    union
    select 'line', line_key, @row_text(line, product, operator) from int_names
    union
    select 'label', label_key, line from int_names
    union
    select 'station', station_key, @row_text(feed_source, station_id) from int_names
)

select kind, key, count(*) as names
from pairs
group by kind, key
having count(*) > 1
