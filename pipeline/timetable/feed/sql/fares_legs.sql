-- Fare products of legs, legs that count as one, and prices of transfers between legs.
create or replace temp table timeframes_checked as
select
  text_timeframes.*,
  services.service_index,
  case
    when surplus is not null then 'too_many_values'
    when timeframe_group_id is null then 'missing_id'
    when services.service_index is null then 'unknown_service'
    when (start_time is null) <> (end_time is null)
      or (start_time is not null and coalesce(gtfs_time(start_time), 86401) > 86400)
      or (end_time is not null and coalesce(gtfs_time(end_time), 86401) > 86400) then 'bad_time'
    when gtfs_time(end_time) <= gtfs_time(start_time) then 'ends_before_it_starts'
    when row_number() over (
      partition by timeframe_group_id, gtfs_time(start_time), gtfs_time(end_time), service_id order by row_number
    ) > 1 then 'duplicate_row'
  end as refusal
from text_timeframes left join services using (service_id);

insert into refused
select 'timeframes', row_number, refusal, concat_ws(' ', timeframe_group_id, start_time, end_time, service_id)
from timeframes_checked where refusal is not null;

create or replace temp table timeframes as
select
  timeframe_group_id,
  -- Local time of a day, not a service time.
  coalesce(gtfs_time(start_time), 0)::int as start_seconds,
  coalesce(gtfs_time(end_time), 86400)::int as end_seconds,
  service_index
from timeframes_checked where refusal is null
order by all;

create or replace temp table fare_leg_rules_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when fare_product_id is null or fare_product_id not in (select fare_product_id from fare_products)
      then 'unknown_product'
    when network_id is not null and network_id not in (select network_id from networks)
      and network_id not in (select network_id from fare_routes) then 'unknown_network'
    when (from_area_id is not null and from_area_id not in (select area_id from areas))
      or (to_area_id is not null and to_area_id not in (select area_id from areas)) then 'unknown_area'
    when (from_timeframe_group_id is not null
        and from_timeframe_group_id not in (select timeframe_group_id from timeframes))
      or (to_timeframe_group_id is not null
        and to_timeframe_group_id not in (select timeframe_group_id from timeframes)) then 'unknown_timeframe'
    when rule_priority is not null and gtfs_count(rule_priority) is null then 'bad_priority'
    when row_number() over (
      partition by network_id, from_area_id, to_area_id, from_timeframe_group_id, to_timeframe_group_id, fare_product_id
      order by row_number
    ) > 1 then 'duplicate_row'
  end as refusal
from text_fare_leg_rules;

insert into refused
select 'fare_leg_rules', row_number, refusal,
  concat_ws(' ', leg_group_id, network_id, from_area_id, to_area_id, fare_product_id, rule_priority)
from fare_leg_rules_checked where refusal is not null;

create or replace temp table fare_leg_rules as
select
  leg_group_id, network_id, from_area_id, to_area_id, from_timeframe_group_id, to_timeframe_group_id, fare_product_id,
  -- Null if the file lacks the column: then an empty field matches only what no other rule names, else anything.
  case when (
    select count(*) from published_columns where table_name = 'fare_leg_rules' and column_name = 'rule_priority'
  ) > 0 then coalesce(gtfs_count(rule_priority), 0) end as rule_priority
from fare_leg_rules_checked where refusal is null
order by all;

create or replace temp table fare_leg_join_rules_checked as
select
  text_fare_leg_join_rules.*,
  from_stop.stop_index as from_stop_index,
  to_stop.stop_index as to_stop_index,
  case
    when surplus is not null then 'too_many_values'
    when (from_network_id is not null and from_network_id not in (select network_id from networks)
        and from_network_id not in (select network_id from fare_routes))
      or (to_network_id is not null and to_network_id not in (select network_id from networks)
        and to_network_id not in (select network_id from fare_routes)) then 'unknown_network'
    when (from_stop_id is not null and from_stop.stop_index is null)
      or (to_stop_id is not null and to_stop.stop_index is null) then 'unknown_stop'
    when (from_stop_id is null) <> (to_stop_id is null) then 'missing_stop'
    when row_number() over (
      partition by from_network_id, to_network_id, from_stop_id, to_stop_id order by row_number
    ) > 1 then 'duplicate_row'
  end as refusal
from text_fare_leg_join_rules
left join stops as from_stop on from_stop.stop_id = from_stop_id
left join stops as to_stop on to_stop.stop_id = to_stop_id;

insert into refused
select 'fare_leg_join_rules', row_number, refusal,
  concat_ws(' ', from_network_id, to_network_id, from_stop_id, to_stop_id)
from fare_leg_join_rules_checked where refusal is not null;

create or replace temp table fare_leg_join_rules as
select from_network_id, to_network_id, from_stop_index, to_stop_index
from fare_leg_join_rules_checked where refusal is null
order by all;

create or replace temp table fare_transfer_rules_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when (from_leg_group_id is not null
        and from_leg_group_id not in (select leg_group_id from fare_leg_rules where leg_group_id is not null))
      or (to_leg_group_id is not null
        and to_leg_group_id not in (select leg_group_id from fare_leg_rules where leg_group_id is not null))
      then 'unknown_leg_group'
    when fare_product_id is not null and fare_product_id not in (select fare_product_id from fare_products)
      then 'unknown_product'
    when fare_transfer_type is null or fare_transfer_type not in ('0', '1', '2') then 'bad_transfer_type'
    when transfer_count is not null and transfer_count <> '-1' and coalesce(gtfs_count(transfer_count), 0) = 0
      then 'bad_transfer_count'
    when transfer_count is null and from_leg_group_id = to_leg_group_id then 'missing_transfer_count'
    when duration_limit is not null and coalesce(gtfs_count(duration_limit), 0) = 0 then 'bad_duration'
    when duration_limit is not null and coalesce(duration_limit_type, '') not in ('0', '1', '2', '3')
      then 'bad_duration_type'
    when row_number() over (
      partition by from_leg_group_id, to_leg_group_id, fare_product_id, transfer_count, duration_limit
      order by row_number
    ) > 1 then 'duplicate_row'
  end as refusal
from text_fare_transfer_rules;

insert into refused
select 'fare_transfer_rules', row_number, refusal,
  concat_ws(' ', from_leg_group_id, to_leg_group_id, transfer_count, fare_transfer_type, fare_product_id)
from fare_transfer_rules_checked where refusal is not null;

create or replace temp table fare_transfer_rules as
select
  from_leg_group_id,
  to_leg_group_id,
  -- Null: no limit. It limits transfers within one leg group, and is undefined between two.
  case
    when transfer_count <> '-1' and from_leg_group_id is not distinct from to_leg_group_id
      then gtfs_count(transfer_count)
  end as transfer_count,
  gtfs_count(duration_limit) as duration_seconds,
  case when duration_limit is not null then duration_limit_type::tinyint end as duration_type,
  fare_transfer_type::tinyint as transfer_type,
  fare_product_id
from fare_transfer_rules_checked where refusal is null
order by all;
