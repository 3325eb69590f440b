-- Long names of railway routes that list the places of a corridor, of which most trips serve a part.
create or replace table plain_routes as
select
  *,
  is_rail(route_type) and route_short_name is not null
    and len(regexp_split_to_array(route_long_name, ' *(?: [-–—] ?| ?[-–—] |[–—]) *')) >= 3 as is_corridor
from text_routes;

insert into repaired select 'routes', 'corridor-names', count(*) from plain_routes where is_corridor;

drop view text_routes;
create view text_routes as
select * exclude (is_corridor) replace (case when not coalesce(is_corridor, false) then route_long_name end as route_long_name)
from plain_routes;
