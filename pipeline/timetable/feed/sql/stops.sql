-- Stops, stations, entrances and nodes. A stop without usable coordinates is kept: boards need none.
create or replace temp table stops_checked as
with parsed as materialized (
  select
    *,
    try_cast(stop_lat as double) as lat,
    try_cast(stop_lon as double) as lon,
    coalesce(try_cast(location_type as int), case when location_type is null then 0 else -1 end) as type
  from text_stops
)
select
  * exclude (lat, lon, first_row),
  -- 0/0 lies in the Gulf of Guinea and stands for missing coordinates.
  case when abs(lat) <= 90 and abs(lon) <= 180 and (lat <> 0 or lon <> 0) then lat end as lat,
  case when abs(lat) <= 90 and abs(lon) <= 180 and (lat <> 0 or lon <> 0) then lon end as lon,
  case
    when surplus is not null then 'too_many_values'
    when stop_id is null then 'missing_id'
    when type not between 0 and 4 then 'bad_location_type'
    when row_number > first_row then 'duplicate_id'
  end as refusal
from parsed
-- Faster than a window over each id.
left join (select stop_id, min(row_number) as first_row from parsed group by stop_id) using (stop_id);

insert into refused
select 'stops', row_number, refusal, coalesce(stop_id, stop_name) from stops_checked where refusal is not null;

create or replace temp table stops as
with good as materialized (
  select (row_number() over (order by stop_id) - 1)::int as stop_index, * from stops_checked where refusal is null
)
select
  stop.stop_index,
  stop.stop_id,
  stop.stop_code,
  coalesce(stop.stop_name, parent.stop_name, stop.stop_id) as stop_name,
  stop.lat,
  stop.lon,
  stop.type::tinyint as location_type,
  -- Two levels up: a boarding area belongs to a platform, which belongs to a station. With more levels, or a cycle,
  -- there is no station.
  case
    when beyond.stop_index is null then coalesce(grandparent.stop_index, parent.stop_index, stop.stop_index)
    else stop.stop_index
  end as station_index,
  stop.platform_code,
  coalesce(try_cast(coalesce(nullif(stop.wheelchair_boarding, '0'), parent.wheelchair_boarding) as tinyint), 0)
    as wheelchair_boarding
from good as stop
-- One equality per join: any further condition would be checked for all pairs of rows.
left join good as parent on parent.stop_id = nullif(stop.parent_station, stop.stop_id)
left join good as grandparent
  on grandparent.stop_id = case when parent.parent_station not in (parent.stop_id, stop.stop_id) then parent.parent_station end
left join good as beyond on beyond.stop_id = case
  when grandparent.stop_id is not null then nullif(grandparent.parent_station, grandparent.stop_id)
  else nullif(parent.parent_station, parent.stop_id)
end;

insert into repaired
select 'stops', 'missing_coordinates', count(*)
from stops where lat is null and location_type in (0, 1)
union all
select 'stops', 'unknown_parent_station', count(*)
from stops_checked where refusal is null and parent_station is not null and parent_station not in (select stop_id from stops)
union all
select 'stops', 'endless_parent_station', count(*)
from stops join stops_checked using (stop_id)
where refusal is null and stops.station_index = stops.stop_index
  and parent_station <> stop_id and parent_station in (select stop_id from stops)
union all
select 'stops', 'missing_name', count(*)
from stops_checked where refusal is null and stop_name is null and type in (0, 1, 2);
