-- Groups of stops that an on-demand service serves in any order.
create or replace temp table location_groups_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when location_group_id is null then 'missing_id'
    when row_number() over (partition by location_group_id order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_location_groups;

insert into refused
select 'location_groups', row_number, refusal, location_group_id from location_groups_checked where refusal is not null;

create or replace temp table location_groups as
select
  (row_number() over (order by location_group_id) - 1)::int as group_index,
  location_group_id,
  location_group_name
from location_groups_checked where refusal is null;

create or replace temp table location_group_stops_checked as
select
  text_location_group_stops.*,
  group_index,
  stop_index,
  case
    when surplus is not null then 'too_many_values'
    when group_index is null then 'unknown_location_group'
    when stop_index is null then 'unknown_stop'
    when location_type not in (0, 1, 4) then 'not_a_boarding_place'
    when row_number() over (partition by group_index, stop_index order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_location_group_stops
left join location_groups using (location_group_id)
left join stops using (stop_id);

insert into refused
select 'location_group_stops', row_number, refusal, concat_ws(' ', location_group_id, stop_id)
from location_group_stops_checked where refusal is not null;

create or replace temp table location_group_stops as
select group_index, stop_index from location_group_stops_checked where refusal is null;
