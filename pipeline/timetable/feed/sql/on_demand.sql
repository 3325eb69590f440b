-- Calls of on-demand service: in a zone, at one of a group of stops, or at a stop within a time window.
-- A window at a stop whose begin and end are equal is a fixed departure: some publishers write all departures this way.
create or replace macro fixed_window(stop_id, window_start, window_end, arrival_time, departure_time) as
  case
    when window_start is not null and stop_id is not null and arrival_time is null and departure_time is null
      and gtfs_time(window_start) = gtfs_time(window_end) then gtfs_time(window_start)
  end;

create or replace macro is_on_demand(
  stop_id, location_group_id, location_id, window_start, window_end, arrival_time, departure_time) as
  (stop_id is null and (location_group_id is not null or location_id is not null))
  or (window_start is not null and arrival_time is null and departure_time is null
    and fixed_window(stop_id, window_start, window_end, arrival_time, departure_time) is null);

create or replace temp table on_demand_checked as
with parsed as (
  select
    st.*,
    trip_index,
    zone_index,
    group_index,
    stops.stop_index,
    location_type,
    try_cast(stop_sequence as int) as sequence,
    -- Some publishers write a fixed departure in a zone as a time, without a window.
    coalesce(gtfs_time(start_pickup_drop_off_window), gtfs_time(arrival_time), gtfs_time(departure_time))::int
      as window_start,
    coalesce(gtfs_time(end_pickup_drop_off_window), gtfs_time(departure_time), gtfs_time(arrival_time))::int as window_end,
    try_cast(coalesce(pickup_type, '0') as utinyint) as pickup,
    try_cast(coalesce(drop_off_type, '0') as utinyint) as drop_off
  from text_stop_times as st
  left join trips using (trip_id)
  left join stops on stops.stop_id = st.stop_id
  left join zones on zone_id = st.location_id
  left join location_groups on location_groups.location_group_id = st.location_group_id
  where st.surplus is null and is_on_demand(
    st.stop_id, st.location_group_id, st.location_id, start_pickup_drop_off_window, end_pickup_drop_off_window,
    arrival_time, departure_time)
)
select
  *,
  case
    when trip_index is null then 'unknown_trip'
    when (stop_id is not null)::int + (location_id is not null)::int + (location_group_id is not null)::int > 1
      then 'several_places'
    when location_id is not null and zone_index is null then 'unknown_location'
    when location_group_id is not null and group_index is null then 'unknown_location_group'
    when group_index is not null and group_index not in (select group_index from location_group_stops)
      then 'empty_location_group'
    when stop_id is not null and stop_index is null then 'unknown_stop'
    when stop_id is not null and location_type not in (0, 1, 4) then 'not_a_boarding_place'
    when sequence is null or sequence < 0 then 'bad_sequence'
    when window_start is null or window_end is null or window_end < window_start then 'bad_window'
    when pickup is null or pickup > 3 or drop_off is null or drop_off > 3 then 'bad_boarding_type'
    when row_number() over (partition by trip_index, sequence order by row_number) > 1 then 'duplicate_sequence'
  end as refusal
from parsed;

insert into refused
select 'stop_times', row_number, refusal, null from on_demand_checked where refusal is not null;

create or replace temp table on_demand_rows as
select * exclude (refusal, surplus) from on_demand_checked where refusal is null;

-- `calls.sql` renumbers the trips and drops those without fixed calls.
create or replace temp table on_demand_candidates as
select
  trips.*,
  try_cast(safe_duration_factor as float) as duration_factor,
  try_cast(safe_duration_offset as float) as duration_offset
from trips join trips_checked using (row_number)
where trips.trip_index in (select trip_index from on_demand_rows);

-- The on-demand service that `status` lists, usable or not.
create or replace temp table on_demand_mentions as
select
  trip_index,
  route_index,
  coalesce(checked.location_id, checked.location_group_id, checked.stop_id) as place_id,
  coalesce(zone_name, location_group_name, stop_name) as place_name,
  phone_number,
  coalesce(info_url, booking_url) as url
from on_demand_checked as checked
join trips using (trip_index)
left join stops on stops.stop_index = checked.stop_index
left join zones on zones.zone_index = checked.zone_index
left join location_groups on location_groups.group_index = checked.group_index
left join (
  select booking_rule_id, min(phone_number) as phone_number, min(info_url) as info_url, min(booking_url) as booking_url
  from text_booking_rules group by all
) as rules on rules.booking_rule_id = coalesce(checked.pickup_booking_rule_id, checked.drop_off_booking_rule_id);
