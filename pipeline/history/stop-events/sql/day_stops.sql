-- The stops of one feed, with the stations that they belong to.
select
    getvariable('feed_number')::integer as feed_number,
    stops.stop_index,
    stops.stop_id,
    stops.stop_name,
    coalesce(stations.stop_id, stops.stop_id) as station_id,
    stops.lat,
    stops.lon,
    stops.platform_code
from feed_stops as stops
left join feed_stops as stations on stations.stop_index = stops.station_index
