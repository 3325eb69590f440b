-- Trips with a shape that ends before one of their ends. Runs after the calls are checked.
create or replace temp table trip_ends as
select
  trips.trip_index,
  shape_index,
  unnest([arg_min(stop_index, stop_sequence), arg_max(stop_index, stop_sequence)]) as stop_index
from calls_parsed
join trips_kept on trips_kept.old_index = calls_parsed.trip_index
join trips on trips.trip_index = trips_kept.trip_index
where refusal is null and shape_index is not null
group by trips.trip_index, shape_index;

create or replace temp table distant_ends as
select shape_index, stop_index
from (select distinct shape_index, stop_index from trip_ends)
join stops using (stop_index)
join shapes using (shape_index)
where stops.lat is not null
group by shape_index, stop_index
having min(2 * 6371000 * asin(sqrt(haversine(stops.lat, stops.lon, shapes.lat, shapes.lon)))) > 2000;

create or replace temp table shapeless_trips as
select distinct trip_index from trip_ends join distant_ends using (shape_index, stop_index);

insert into repaired select 'trips', 'border-shapes', count(*) from shapeless_trips;

update trips set shape_index = null where trip_index in (select trip_index from shapeless_trips);
