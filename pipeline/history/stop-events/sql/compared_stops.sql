-- The stops of one feed, as stations are merged by them, with what the day's trips of each product call there.
with calls_of_products as (
    select planned_calls.stop_index, runs.product, count(*) as call_count
    from planned_calls
    join runs on runs.trip_key = planned_calls.trip_key
    where planned_calls.feed_number = getvariable('feed_number')
        and planned_calls.day_offset = 0
        and runs.day_offset = 0
    group by all
), traffic as (
    select stop_index, sum(call_count) as call_count, string_agg(product, ' ' order by product) as products
    from calls_of_products
    group by stop_index
)

select
    getvariable('feed_number')::integer as feed_number,
    stops.stop_index,
    stops.stop_id,
    coalesce(stops.stop_code, '') as stop_code,
    stops.stop_name,
    coalesce(stops.lat, 'nan')::double as lat,
    coalesce(stops.lon, 'nan')::double as lon,
    -- Two levels up, as in the snapshot.
    coalesce(stations.station_index, stops.station_index) as station_index,
    stops.location_type,
    coalesce(traffic.call_count, 0)::integer as call_count,
    coalesce(traffic.products, '') as products
from feed_stops as stops
left join feed_stops as stations on stations.stop_index = stops.station_index
left join traffic on traffic.stop_index = stops.stop_index
