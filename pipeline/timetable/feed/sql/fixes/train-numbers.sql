-- Train numbers: from the route to its trips, and the category from the trips to a route without a short name.
create or replace table train_routes as
select distinct route_id, trim(route_short_name) as train
from text_routes
where is_rail(route_type) and is_train_number(route_short_name);

insert into repaired
select 'trips', 'train-numbers', count(*)
from text_trips join train_routes using (route_id)
where trip_short_name is null;

alter view text_trips rename to published_trips;
create view text_trips as
select published.* replace (coalesce(trip_short_name, train) as trip_short_name)
from published_trips as published left join train_routes using (route_id);

insert into repaired
select 'routes', 'train-numbers', count(*)
from text_routes join trip_categories using (route_id)
where is_rail(route_type) and route_short_name is null;

create or replace table numbered_routes as
select
  published.* replace (
    case when is_rail(route_type) then coalesce(route_short_name, category) else route_short_name end
      as route_short_name)
from text_routes as published left join trip_categories using (route_id);
drop view text_routes;
create view text_routes as select * from numbered_routes;
