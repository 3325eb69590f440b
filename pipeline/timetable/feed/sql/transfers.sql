-- Transfer rules between existing stops, routes or trips. Types 4 and 5 name trips and need no stops.
create or replace temp table transfers_checked as
select
  text_transfers.*,
  from_stop.stop_index as from_stop_index,
  to_stop.stop_index as to_stop_index,
  from_route.route_index as from_route_index,
  to_route.route_index as to_route_index,
  from_trip.trip_index as from_trip_index,
  to_trip.trip_index as to_trip_index,
  try_cast(coalesce(transfer_type, '0') as utinyint) as type,
  try_cast(min_transfer_time as int) as min_transfer_seconds,
  case
    when surplus is not null then 'too_many_values'
    when try_cast(coalesce(transfer_type, '0') as utinyint) is null
      or try_cast(coalesce(transfer_type, '0') as utinyint) > 5 then 'bad_transfer_type'
    when (from_stop_id is not null and from_stop.stop_index is null)
      or (to_stop_id is not null and to_stop.stop_index is null) then 'unknown_stop'
    when (from_route_id is not null and from_route.route_index is null)
      or (to_route_id is not null and to_route.route_index is null) then 'unknown_route'
    when (from_trip_id is not null and from_trip.trip_index is null)
      or (to_trip_id is not null and to_trip.trip_index is null) then 'unknown_trip'
    when transfer_type in ('4', '5') and (from_trip_id is null or to_trip_id is null) then 'missing_trip'
    when coalesce(transfer_type, '0') not in ('4', '5') and (from_stop_id is null or to_stop_id is null)
      then 'missing_stop'
    when min_transfer_time is not null
      and (try_cast(min_transfer_time as int) is null or try_cast(min_transfer_time as int) < 0)
      then 'bad_transfer_time'
  end as refusal
from text_transfers
left join stops as from_stop on from_stop.stop_id = from_stop_id
left join stops as to_stop on to_stop.stop_id = to_stop_id
left join routes as from_route on from_route.route_id = from_route_id
left join routes as to_route on to_route.route_id = to_route_id
left join trips as from_trip on from_trip.trip_id = from_trip_id
left join trips as to_trip on to_trip.trip_id = to_trip_id;

insert into refused
select 'transfers', row_number, refusal, concat_ws(' ', from_stop_id, to_stop_id, transfer_type)
from transfers_checked where refusal is not null;

create or replace temp table transfers as
select
  from_stop_index, to_stop_index, from_route_index, to_route_index, from_trip_index, to_trip_index,
  type as transfer_type, min_transfer_seconds,
  from_stop_id, to_stop_id, from_route_id, to_route_id, from_trip_id, to_trip_id
from transfers_checked where refusal is null
order by all;
