-- Ids of stations with a letter in front of the number of their platforms, in every table that names stops.
create or replace table parent_ids as
select stop_id as published_id, substr(stop_id, 2) as fixed_id
from text_stops
where regexp_full_match(stop_id, 'P[a-z]{2}:[0-9]+:.+')
  and substr(stop_id, 2) not in (select stop_id from text_stops where stop_id is not null)
group by stop_id;

insert into repaired
select 'stops', 'parent-ids', count(*) from text_stops where stop_id in (select published_id from parent_ids);

alter view text_stops rename to published_stops;
create view text_stops as
select
  published.* replace (
    coalesce(own.fixed_id, published.stop_id) as stop_id,
    coalesce(parent.fixed_id, published.parent_station) as parent_station)
from published_stops as published
left join parent_ids as own on own.published_id = published.stop_id
left join parent_ids as parent on parent.published_id = published.parent_station;

alter view text_stop_times rename to published_stop_times;
create view text_stop_times as
select published.* replace (coalesce(fixed_id, stop_id) as stop_id)
from published_stop_times as published left join parent_ids on published_id = stop_id;

alter view text_transfers rename to published_transfers;
create view text_transfers as
select
  published.* replace (
    coalesce(origin.fixed_id, from_stop_id) as from_stop_id,
    coalesce(destination.fixed_id, to_stop_id) as to_stop_id)
from published_transfers as published
left join parent_ids as origin on origin.published_id = from_stop_id
left join parent_ids as destination on destination.published_id = to_stop_id;

alter view text_stop_areas rename to published_stop_areas;
create view text_stop_areas as
select published.* replace (coalesce(fixed_id, stop_id) as stop_id)
from published_stop_areas as published left join parent_ids on published_id = stop_id;

alter view text_fare_leg_join_rules rename to published_fare_leg_join_rules;
create view text_fare_leg_join_rules as
select
  published.* replace (
    coalesce(origin.fixed_id, from_stop_id) as from_stop_id,
    coalesce(destination.fixed_id, to_stop_id) as to_stop_id)
from published_fare_leg_join_rules as published
left join parent_ids as origin on origin.published_id = from_stop_id
left join parent_ids as destination on destination.published_id = to_stop_id;

alter view text_translations rename to published_translations;
create view text_translations as
select published.* replace (
  case when table_name = 'stops' then coalesce(fixed_id, record_id) else record_id end as record_id)
from published_translations as published left join parent_ids on published_id = record_id;
