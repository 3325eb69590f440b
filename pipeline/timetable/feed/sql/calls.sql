-- Calls: the rows of stop_times, joined, checked along their trip, with missing times interpolated and marked.
-- `flexible` marks those that `on_demand.sql` has judged.
-- One byte instead of sixteen, for each of millions of rows.
create or replace type call_refusal as enum (
  'too_many_values', 'flexible', 'unknown_trip', 'unknown_stop', 'not_a_boarding_place', 'bad_sequence',
  'bad_time', 'departs_before_it_arrives', 'bad_boarding_type');

create or replace temp table calls_parsed as
with parsed as (
  select
    st.row_number::int as row_number,
    trip_index,
    stop_index,
    stop_headsign,
    location_type,
    try_cast(stop_sequence as int) as stop_sequence,
    coalesce(gtfs_time(arrival_time), fixed_time)::int as arrival,
    coalesce(gtfs_time(departure_time), fixed_time)::int as departure,
    try_cast(coalesce(pickup_type, '0') as utinyint) as pickup_type,
    try_cast(coalesce(drop_off_type, '0') as utinyint) as drop_off_type,
    finite_number(st.shape_dist_traveled) as distance,
    (arrival_time is not null and gtfs_time(arrival_time) is null)
      or (departure_time is not null and gtfs_time(departure_time) is null) as has_bad_time,
    fixed_time is not null as is_window,
    is_on_demand(
      st.stop_id, location_group_id, location_id, start_pickup_drop_off_window, end_pickup_drop_off_window,
      arrival_time, departure_time)
      as is_flexible,
    surplus
  from (
    select
      *,
      fixed_window(
        stop_id, start_pickup_drop_off_window, end_pickup_drop_off_window, arrival_time, departure_time) as fixed_time
    from text_stop_times
  ) as st
  left join trips using (trip_id)
  left join stops on stops.stop_id = st.stop_id
)
select
  * exclude (surplus, has_bad_time, is_flexible, location_type),
  case
    when surplus is not null then 'too_many_values'
    when is_flexible then 'flexible'
    when trip_index is null then 'unknown_trip'
    when stop_index is null then 'unknown_stop'
    when location_type not in (0, 1, 4) then 'not_a_boarding_place'
    when stop_sequence is null or stop_sequence < 0 then 'bad_sequence'
    when has_bad_time then 'bad_time'
    when departure < arrival then 'departs_before_it_arrives'
    when pickup_type is null or pickup_type > 3 or drop_off_type is null or drop_off_type > 3 then 'bad_boarding_type'
  end::call_refusal as refusal
from parsed;

-- Most trips are one block of the file, in order and with all times: their calls need no further checks.
create or replace temp table plain_trips as
with beside as (
  select
    trip_index,
    refusal is null and coalesce(arrival, departure) is not null as is_plain,
    lag(trip_index) over () is distinct from trip_index as is_first,
    stop_sequence > lag(stop_sequence) over ()
      and coalesce(arrival, departure) >= lag(coalesce(departure, arrival)) over () as is_in_order
  from calls_parsed
)
select trip_index
from beside
where trip_index is not null
group by trip_index
having count(*) between 2 and 65535 and count(*) filter (is_first) = 1 and bool_and(is_plain and (is_first or is_in_order));

-- All other calls. The first of those with one stop_sequence counts: found by grouping, since a feed may have as many
-- copies as rows, which the windows below would sort again and again.
create or replace temp table calls_unsure as
select * exclude (refusal) from calls_parsed
where refusal is null and trip_index not in (select trip_index from plain_trips);

create or replace temp table first_calls as
select min(row_number) as row_number from calls_unsure group by trip_index, stop_sequence;

insert into refused
select 'stop_times', row_number, 'duplicate_sequence', null
from calls_unsure where row_number not in (select row_number from first_calls);

-- Checks across the calls of a trip.
create or replace temp table calls_checked as
with neighbours as (
  select
    *,
    max(coalesce(departure, arrival)) over (
      partition by trip_index order by stop_sequence rows between unbounded preceding and 1 preceding) as latest_before
  from calls_unsure
  where row_number in (select row_number from first_calls)
), ordered as (
  select
    * exclude (latest_before),
    case when coalesce(arrival, departure) < latest_before then 'time_runs_backwards' end as refusal
  from neighbours
), timed as (
  select
    *,
    count(*) filter (arrival is null and departure is null) over trip as untimed_calls,
    -- Refused calls are not anchors for interpolation.
    count(coalesce(arrival, departure)) filter (refusal is null) over (
      along rows between unbounded preceding and current row) as times_until_here,
    count(coalesce(arrival, departure)) filter (refusal is null) over (
      along rows between current row and unbounded following) as times_from_here
  from ordered
  window
    trip as (partition by trip_index),
    along as (partition by trip_index order by stop_sequence)
)
select
  * exclude (refusal, times_until_here, times_from_here),
  case
    when refusal is not null then refusal
    when times_until_here = 0 or times_from_here = 0 then 'no_time_to_start_from'
  end as refusal
from timed;

create or replace temp table usable_trips as
select trip_index from plain_trips
union all
-- Snapshots number the calls of a trip in 16 bits.
select trip_index from calls_checked where refusal is null group by trip_index having count(*) between 2 and 65535;

-- Trips with an on-demand ride: at least two calls, of which at least one is not fixed.
create or replace temp table on_demand_usable as
select trip_index
from (
  select trip_index from on_demand_rows
  union all
  select trip_index from calls_checked where refusal is null and coalesce(arrival, departure) is not null
)
where trip_index in (select trip_index from on_demand_rows)
group by trip_index having count(*) >= 2;

-- Rows that are only on-demand calls.
create or replace temp table rows_on_demand as
select row_number from on_demand_rows where trip_index in (select trip_index from on_demand_usable)
union all
select row_number from calls_checked
where refusal is null and coalesce(arrival, departure) is not null
  and trip_index in (select trip_index from on_demand_usable) and trip_index not in (select trip_index from usable_trips);

insert into refused
select 'stop_times', row_number, refusal::varchar, null
from calls_parsed where refusal is not null and refusal <> 'flexible'
union all
select 'stop_times', row_number, coalesce(refusal, 'trip_refused'), null
from calls_checked
where (refusal is not null or trip_index not in (select trip_index from usable_trips))
  and row_number not in (select row_number from rows_on_demand)
union all
select 'stop_times', row_number, 'trip_refused', null
from on_demand_rows where trip_index not in (select trip_index from on_demand_usable);

insert into refused
select 'trips', row_number, 'unusable_call_count', trip_id
from trips
where trip_index not in (select trip_index from usable_trips)
  and trip_index not in (select trip_index from on_demand_usable);

create or replace temp table trips_kept as
select trip_index as old_index, (row_number() over (order by trip_index) - 1)::int as trip_index from usable_trips;

create or replace temp table trips as
select trips_kept.trip_index, trips.* exclude (row_number, trip_index)
from trips join trips_kept on trips_kept.old_index = trips.trip_index;

-- Rounding may take antipodes above 1; `least` would ignore a null and return 1 for it.
create or replace macro at_most_one(x) as case when x > 1 then 1 else x end;
create or replace macro haversine(lat_a, lon_a, lat_b, lon_b) as at_most_one(
  pow(sin(radians(lat_a - lat_b) / 2), 2)
  + cos(radians(lat_a)) * cos(radians(lat_b)) * pow(sin(radians(lon_a - lon_b) / 2), 2));

-- Interpolates missing times: by the published distances if every call of the trip has one, else by the straight-line
-- distances between stops, else evenly.
create or replace temp table calls_filled as
with steps as (
  select
    checked.* exclude (trip_index, refusal),
    trips_kept.trip_index,
    case
      when row_number() over along = 1 then 0
      else 2 * 6371000 * asin(sqrt(haversine(
        stops.lat, stops.lon, lag(stops.lat) over along, lag(stops.lon) over along)))
    end as step_meters
  from calls_checked as checked
  join trips_kept on trips_kept.old_index = checked.trip_index
  join stops using (stop_index)
  where refusal is null and untimed_calls > 0
  window along as (partition by trips_kept.trip_index order by stop_sequence)
), measured as (
  select
    *,
    coalesce(arrival, departure) is not null as is_timed,
    row_number() over along as position,
    case
      when count(distance) over trip = count(*) over trip then max(distance) over along
      when count(step_meters) over trip = count(*) over trip then sum(step_meters) over along
      else row_number() over along
    end as travelled
  from steps
  window trip as (partition by trip_index), along as (partition by trip_index order by stop_sequence)
), bracketed as (
  select
    *,
    last_value(coalesce(departure, arrival) ignore nulls) over until_here as time_before,
    last_value(case when is_timed then travelled end ignore nulls) over until_here as travelled_before,
    last_value(case when is_timed then position end ignore nulls) over until_here as position_before,
    first_value(coalesce(arrival, departure) ignore nulls) over from_here as time_after,
    first_value(case when is_timed then travelled end ignore nulls) over from_here as travelled_after,
    first_value(case when is_timed then position end ignore nulls) over from_here as position_after
  from measured
  window
    until_here as (partition by trip_index order by stop_sequence rows between unbounded preceding and current row),
    from_here as (partition by trip_index order by stop_sequence rows between current row and unbounded following)
)
select
  *,
  time_before + round((time_after - time_before) * case
    when is_timed then 0
    when travelled_after > travelled_before
      then (travelled - travelled_before) / (travelled_after - travelled_before)
    else (position - position_before) / (position_after - position_before)
  end)::int as filled_time
from bracketed;

insert into repaired
select 'stop_times', 'interpolated_time', count(*) from calls_filled where not is_timed
union all
select 'stop_times', 'window_without_duration', count(*)
from calls_parsed where is_window and row_number not in (select row_number from refused where table_name = 'stop_times');

-- A view, so that millions of rows are sorted only once, when they are written.
create or replace temp view calls as
with timed as (
  select * exclude (row_number, refusal, is_window) from calls_parsed
  where trip_index in (select trip_index from plain_trips)
  union all
  select * exclude (row_number, refusal, is_window, untimed_calls) from calls_checked
  where refusal is null and untimed_calls = 0
)
select
  trips_kept.trip_index, stop_sequence, stop_index, stop_headsign, pickup_type, drop_off_type, distance,
  coalesce(arrival, departure) as arrival_seconds,
  coalesce(departure, arrival) as departure_seconds,
  false as is_interpolated
from timed join trips_kept on trips_kept.old_index = timed.trip_index
union all
select
  trip_index, stop_sequence, stop_index, stop_headsign, pickup_type, drop_off_type, distance,
  coalesce(arrival, departure, filled_time), coalesce(departure, arrival, filled_time), not is_timed
from calls_filled;

-- Adds the publisher's ids of the refused calls; only here, so that millions of valid rows do not carry them.
update refused
set detail = concat_ws(' ', st.trip_id, st.stop_sequence, st.arrival_time, st.departure_time, st.stop_id)
from text_stop_times as st
where refused.table_name = 'stop_times' and refused.detail is null and refused.row_number = st.row_number;
