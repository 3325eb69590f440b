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

create or replace temp table on_demand_calls as
select
  trip_index,
  route_index,
  coalesce(location_id, location_group_id, st.stop_id) as place_id,
  coalesce(location_group_name, stop_name) as place_name,
  phone_number,
  coalesce(info_url, booking_url) as url
from text_stop_times as st
join trips using (trip_id)
left join stops on stops.stop_id = st.stop_id
left join (
  select location_group_id, min(location_group_name) as location_group_name from text_location_groups group by all
) using (location_group_id)
left join (
  select booking_rule_id, min(phone_number) as phone_number, min(info_url) as info_url, min(booking_url) as booking_url
  from text_booking_rules group by all
) as rules on rules.booking_rule_id = coalesce(st.pickup_booking_rule_id, st.drop_off_booking_rule_id)
where st.surplus is null and is_on_demand(
  st.stop_id, st.location_group_id, location_id, start_pickup_drop_off_window, end_pickup_drop_off_window, arrival_time,
  departure_time);
