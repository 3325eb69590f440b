-- Calls: the rows of stop_times, joined, checked along their trip, with missing times filled in and marked.
create or replace macro gtfs_time(text) as
  case when text[-3] = ':' and text[-6] = ':' and length(text) between 7 and 9 then
    try_cast(text[:-7] as usmallint)::int * 3600
    + case when text[-5] between '0' and '5' then try_cast(text[-5:-4] as utinyint)::int end * 60
    + case when text[-2] between '0' and '5' then try_cast(text[-2:] as utinyint)::int end
  end;

create or replace temp table calls_parsed as
with parsed as (
  select
    st.row_number,
    trip_index,
    stop_index,
    stop_headsign,
    location_type,
    try_cast(stop_sequence as int) as stop_sequence,
    gtfs_time(arrival_time)::int as arrival,
    gtfs_time(departure_time)::int as departure,
    try_cast(coalesce(pickup_type, '0') as utinyint) as pickup_type,
    try_cast(coalesce(drop_off_type, '0') as utinyint) as drop_off_type,
    try_cast(st.shape_dist_traveled as double) as distance,
    (arrival_time is not null and gtfs_time(arrival_time) is null)
      or (departure_time is not null and gtfs_time(departure_time) is null) as has_bad_time,
    st.stop_id is null and (location_group_id is not null or location_id is not null) as is_flexible,
    surplus
  from text_stop_times as st
  left join trips using (trip_id)
  left join stops on stops.stop_id = st.stop_id
)
select
  * exclude (surplus, has_bad_time, is_flexible, location_type),
  case
    when surplus is not null then 'too_many_values'
    when is_flexible then 'flexible_service'
    when trip_index is null then 'unknown_trip'
    when stop_index is null then 'unknown_stop'
    when location_type not in (0, 1, 4) then 'not_a_boarding_place'
    when stop_sequence is null or stop_sequence < 0 then 'bad_sequence'
    when has_bad_time then 'bad_time'
    when departure < arrival then 'departs_before_it_arrives'
    when pickup_type is null or pickup_type > 3 or drop_off_type is null or drop_off_type > 3 then 'bad_boarding_type'
  end as refusal
from parsed;

-- What only shows beside the other calls of the trip.
create or replace temp table calls_checked as
with neighbours as (
  select
    *,
    row_number() over same_call as copy_number,
    max(coalesce(departure, arrival)) over (
      along rows between unbounded preceding and 1 preceding) as latest_before,
    max(coalesce(departure, arrival)) over (
      along rows between unbounded preceding and current row) as latest_now,
    count(*) filter (arrival is null and departure is null) over trip as untimed_calls,
    min(coalesce(arrival, departure)) over (
      along rows between current row and unbounded following) as earliest_after
  from calls_parsed
  where refusal is null
  window
    trip as (partition by trip_index),
    along as (partition by trip_index order by stop_sequence, row_number),
    same_call as (partition by trip_index, stop_sequence order by row_number)
)
select
  * exclude (refusal, copy_number, latest_before, latest_now, earliest_after),
  case
    when copy_number > 1 then 'duplicate_sequence'
    when coalesce(arrival, departure) < latest_before then 'time_runs_backwards'
    when latest_now is null or earliest_after is null then 'no_time_to_start_from'
  end as refusal
from neighbours;

create or replace temp table usable_trips as
select trip_index from calls_checked where refusal is null group by trip_index having count(*) >= 2;

insert into refused
select 'stop_times', row_number, refusal, null from calls_parsed where refusal is not null
union all
select 'stop_times', row_number, coalesce(refusal, 'trip_refused'), null
from calls_checked where refusal is not null or trip_index not in (select trip_index from usable_trips);

insert into refused
select 'trips', row_number, 'too_few_calls', trip_id
from trips where trip_index not in (select trip_index from usable_trips);

create or replace temp table calls_kept as
select calls_checked.* exclude (refusal), kept.trip_index as kept_index
from calls_checked
join (select trip_index as old_index, (row_number() over (order by trip_index) - 1)::int as trip_index from usable_trips)
  as kept on kept.old_index = calls_checked.trip_index
where refusal is null;

create or replace temp table trips as
select (row_number() over (order by trip_index) - 1)::int as trip_index, * exclude (row_number, trip_index)
from trips where trip_index in (select trip_index from usable_trips);

-- Rounding may take antipodes above 1; `least` would do, but it takes a null for the larger one.
create or replace macro at_most_one(x) as case when x > 1 then 1 else x end;
create or replace macro haversine(lat_a, lon_a, lat_b, lon_b) as at_most_one(
  pow(sin(radians(lat_a - lat_b) / 2), 2)
  + cos(radians(lat_a)) * cos(radians(lat_b)) * pow(sin(radians(lon_a - lon_b) / 2), 2));

-- Trips with calls that have no time: by the published distance where every call of the trip has one, else by the
-- straight line between stops, else evenly.
create or replace temp table calls_filled as
with steps as (
  select
    kept.*,
    case
      when row_number() over along = 1 then 0
      else 2 * 6371000 * asin(sqrt(haversine(
        stops.lat, stops.lon, lag(stops.lat) over along, lag(stops.lon) over along)))
    end as step_meters
  from calls_kept as kept join stops using (stop_index)
  where untimed_calls > 0
  window along as (partition by kept_index order by stop_sequence)
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
  window trip as (partition by kept_index), along as (partition by kept_index order by stop_sequence)
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
    until_here as (partition by kept_index order by stop_sequence rows between unbounded preceding and current row),
    from_here as (partition by kept_index order by stop_sequence rows between current row and unbounded following)
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
select 'stop_times', 'interpolated_time', count(*) from calls_filled where not is_timed;

create or replace temp table calls as
select
  kept_index as trip_index, stop_sequence, stop_index, stop_headsign, pickup_type, drop_off_type, distance,
  coalesce(arrival, departure) as arrival_seconds,
  coalesce(departure, arrival) as departure_seconds,
  false as is_interpolated
from calls_kept where untimed_calls = 0
union all
select
  kept_index, stop_sequence, stop_index, stop_headsign, pickup_type, drop_off_type, distance,
  coalesce(arrival, departure, filled_time), coalesce(departure, arrival, filled_time), not is_timed
from calls_filled
order by trip_index, stop_sequence;
