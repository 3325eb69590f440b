-- Areas of stops and networks of routes, used by the rules of Fares v2.
create or replace temp table areas_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when area_id is null then 'missing_id'
    when row_number() over (partition by area_id order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_areas;

insert into refused
select 'areas', row_number, refusal, area_id from areas_checked where refusal is not null;

create or replace temp table areas as
select area_id from areas_checked where refusal is null order by area_id;

create or replace temp table stop_areas_checked as
select
  text_stop_areas.*,
  stops.stop_index,
  case
    when surplus is not null then 'too_many_values'
    when areas.area_id is null then 'unknown_area'
    when stops.stop_index is null then 'unknown_stop'
    when row_number() over (partition by text_stop_areas.area_id, stop_id order by row_number) > 1
      then 'duplicate_row'
  end as refusal
from text_stop_areas
left join areas on areas.area_id = text_stop_areas.area_id
left join stops using (stop_id);

insert into refused
select 'stop_areas', row_number, refusal, concat_ws(' ', area_id, stop_id)
from stop_areas_checked where refusal is not null;

create or replace temp table stop_areas as
select stop_index, area_id from stop_areas_checked where refusal is null order by all;

create or replace temp table networks_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when network_id is null then 'missing_id'
    when row_number() over (partition by network_id order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_networks;

insert into refused
select 'networks', row_number, refusal, network_id from networks_checked where refusal is not null;

create or replace temp table networks as
select network_id from networks_checked where refusal is null order by network_id;

create or replace temp table route_networks_checked as
select
  text_route_networks.*,
  routes.route_index,
  case
    when surplus is not null then 'too_many_values'
    when networks.network_id is null then 'unknown_network'
    when routes.route_index is null then 'unknown_route'
    -- A route is in one network only.
    when row_number() over (partition by route_id order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_route_networks
left join networks on networks.network_id = text_route_networks.network_id
left join routes using (route_id);

insert into refused
select 'route_networks', row_number, refusal, concat_ws(' ', network_id, route_id)
from route_networks_checked where refusal is not null;

create or replace temp table route_networks as
select route_index, network_id from route_networks_checked where refusal is null order by all;

-- A feed lists networks in separate files, or in routes.txt; both give the same table.
create or replace temp table fare_routes as
select route_index, coalesce(route_networks.network_id, routes_checked.network_id) as network_id
from routes
join routes_checked on routes_checked.route_id = routes.route_id and routes_checked.refusal is null
left join route_networks using (route_index)
where coalesce(route_networks.network_id, routes_checked.network_id) is not null
order by route_index;
