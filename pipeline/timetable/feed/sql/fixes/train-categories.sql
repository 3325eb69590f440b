-- Extended route types of railway routes that have only the basic one, by the category of their trains.
create or replace macro type_of_category(category) as case
  when category in ('RJX', 'RJ', 'ICE') then '101'
  when category in ('IC', 'ICN', 'EC', 'ECB', 'D', 'WB', 'IR') then '102'
  when category in ('NJ', 'EN') then '105'
  when category in ('REX', 'CJX', 'RE', 'RB', 'ER', 'ATB', 'R') then '106'
  when category = 'S' then '109'
  when category = 'ICBus' then '200'
end;

create or replace table categorised_routes as
select
  published.*,
  type_of_category(coalesce(train_category(route_short_name), category)) as extended_type
from text_routes as published left join trip_categories using (route_id);

-- A bus is of another type only if its category is one of buses.
update categorised_routes set extended_type = null
where not (route_type = '2' or (route_type = '3' and extended_type = '200'));

insert into repaired
select 'routes', 'train-categories', count(*) from categorised_routes where extended_type is not null;

drop view text_routes;
create view text_routes as
select * exclude (extended_type) replace (coalesce(extended_type, route_type) as route_type) from categorised_routes;
