-- Trips with on-demand service, and their calls in travel order. Fixed calls of such a trip count as windows without
-- duration: riders may board at a stop and alight in a zone.
create or replace temp table on_demand_trips as
with factors as (
  -- Drafts of GTFS-Flex had the factors in stop_times.txt, with offsets in minutes.
  select
    trip_index,
    max(coalesce(try_cast(safe_duration_factor as float), try_cast(mean_duration_factor as float))) as factor,
    60 * max(coalesce(try_cast(safe_duration_offset as float), try_cast(mean_duration_offset as float))) as seconds
  from on_demand_rows group by trip_index
)
select
  (row_number() over (order by trip_id) - 1)::int as on_demand_index,
  trip_id,
  route_index,
  service_index,
  trip_headsign,
  wheelchair_accessible,
  bikes_allowed,
  -- Other values are errors: a factor of 60 does not mean a ride of two days.
  case when coalesce(duration_factor, factor) between 0.1 and 20 then coalesce(duration_factor, factor) else 1 end::float
    as duration_factor,
  case when coalesce(duration_offset, seconds) between -3600 and 14400 then round(coalesce(duration_offset, seconds)) else 0
    end::int as duration_offset_seconds,
  trip_index in (select old_index from trips_kept) as has_fixed_calls,
  trip_index as old_index
from on_demand_candidates left join factors using (trip_index)
where trip_index in (select trip_index from on_demand_usable);

create or replace temp table on_demand_calls as
with both_kinds as (
  select
    trip_index, sequence as stop_sequence, zone_index, group_index, stop_index, window_start, window_end, pickup, drop_off,
    pickup_booking_rule_id, drop_off_booking_rule_id, false as is_fixed
  from on_demand_rows
  union all
  select
    trip_index, checked.stop_sequence, null, null, stop_index, coalesce(arrival, departure), coalesce(departure, arrival),
    checked.pickup_type, checked.drop_off_type, pickup_booking_rule_id, drop_off_booking_rule_id, true
  from calls_checked as checked join text_stop_times as st on st.row_number = checked.row_number
  where refusal is null and coalesce(arrival, departure) is not null
    and trip_index in (select trip_index from on_demand_rows)
)
select
  on_demand_index,
  stop_sequence,
  zone_index,
  group_index,
  stop_index,
  window_start as window_start_seconds,
  window_end as window_end_seconds,
  pickup as pickup_type,
  drop_off as drop_off_type,
  pickup_rule.booking_index as pickup_booking_index,
  drop_off_rule.booking_index as drop_off_booking_index,
  is_fixed
from both_kinds
join on_demand_trips on old_index = trip_index
left join booking_rules as pickup_rule on pickup_rule.booking_rule_id = pickup_booking_rule_id
left join booking_rules as drop_off_rule on drop_off_rule.booking_rule_id = drop_off_booking_rule_id;

insert into repaired
select 'stop_times', 'unknown_booking_rule', count(*)
from on_demand_rows
where trip_index in (select trip_index from on_demand_usable)
  -- `null not in` an empty table is true.
  and ((pickup_booking_rule_id is not null and pickup_booking_rule_id not in (select booking_rule_id from booking_rules))
    or (drop_off_booking_rule_id is not null
      and drop_off_booking_rule_id not in (select booking_rule_id from booking_rules)));
