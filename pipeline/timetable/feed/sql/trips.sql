-- Trips whose route and service are known. `calls.sql` refuses those with fewer than two valid calls.
create or replace temp table trips_checked as
select
  text_trips.*,
  routes.route_index,
  services.service_index,
  shape_ids.shape_index,
  case
    when surplus is not null then 'too_many_values'
    when trip_id is null then 'missing_id'
    when text_trips.row_number > first_row then 'duplicate_id'
    when routes.route_index is null then 'unknown_route'
    when services.service_index is null then 'unknown_service'
  end as refusal
from text_trips
-- Faster than a window over each id.
left join (select trip_id, min(row_number) as first_row from text_trips group by trip_id) using (trip_id)
left join routes using (route_id)
left join services using (service_id)
left join shape_ids using (shape_id);

insert into refused
select 'trips', row_number, refusal, concat_ws(' ', trip_id, route_id, service_id)
from trips_checked where refusal is not null;

create or replace temp table trips as
select
  (row_number() over (order by trip_id) - 1)::int as trip_index,
  row_number,
  trip_id,
  route_index,
  service_index,
  shape_index,
  trip_headsign,
  trip_short_name,
  case when direction_id in ('0', '1') then direction_id::tinyint end as direction_id,
  block_id,
  coalesce(try_cast(wheelchair_accessible as tinyint), 0) as wheelchair_accessible,
  coalesce(try_cast(bikes_allowed as tinyint), 0) as bikes_allowed
from trips_checked
where refusal is null;

insert into repaired
select 'trips', 'unknown_shape', count(*)
from trips_checked where refusal is null and shape_id is not null and shape_index is null;
