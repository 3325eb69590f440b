-- Routes with their agency. A route of an unknown agency is kept, in the zone of the source, if it is configured, else in
-- the feed's main time zone.
create or replace temp table routes_checked as
select
  *,
  try_cast(route_type as int) as type,
  case
    when surplus is not null then 'too_many_values'
    when route_id is null then 'missing_id'
    when row_number() over (partition by route_id order by row_number) > 1 then 'duplicate_id'
    when route_type is null then 'missing_route_type'
    when try_cast(route_type as int) is null or try_cast(route_type as int) not between 0 and 1799
      then 'bad_route_type'
  end as refusal
from text_routes;

insert into refused
select 'routes', row_number, refusal, concat_ws(' ', route_id, route_type) from routes_checked where refusal is not null;

create or replace temp table routes as
with main_zone as (
  select time_zone from agencies group by time_zone order by count(*) desc, time_zone limit 1
), only_agency as (
  select min(agency_index) as agency_index from agencies having count(*) = 1
)
select
  (row_number() over (order by route_id) - 1)::int as route_index,
  route_id,
  coalesce(agencies.agency_index, (select agency_index from only_agency)) as agency_index,
  coalesce(agencies.time_zone, getvariable('source_zone')::varchar, (select time_zone from main_zone)) as time_zone,
  route_short_name,
  route_long_name,
  type::smallint as route_type,
  -- Six hexadecimal digits, with or without a leading `#`.
  nullif(regexp_extract(upper(route_color), '^#?([0-9A-F]{6})$', 1), '') as route_color,
  nullif(regexp_extract(upper(route_text_color), '^#?([0-9A-F]{6})$', 1), '') as route_text_color,
  try_cast(route_sort_order as int) as route_sort_order
from routes_checked
left join agencies on agencies.agency_id = coalesce(routes_checked.agency_id, '')
where refusal is null;

insert into repaired
select 'routes', 'unknown_agency', count(*)
from routes_checked
where refusal is null
  and (agency_id is not null or (select count(*) from agencies) > 1)
  and coalesce(agency_id, '') not in (select agency_id from agencies);

insert into repaired
select 'routes', 'assumed_time_zone', count(*)
from routes_checked
where refusal is null and (select count(*) from agencies) = 0;
