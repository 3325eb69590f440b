-- Headways of repeated trips.
create or replace temp table frequencies_checked as
select
  text_frequencies.row_number,
  trips.trip_index,
  text_frequencies.trip_id,
  gtfs_time(start_time)::int as start_seconds,
  gtfs_time(end_time)::int as end_seconds,
  try_cast(headway_secs as int) as headway_seconds,
  coalesce(exact_times, '0') = '1' as is_exact,
  case
    when surplus is not null then 'too_many_values'
    when trips.trip_index is null then 'unknown_trip'
    when gtfs_time(start_time) is null or gtfs_time(end_time) is null then 'bad_time'
    when gtfs_time(end_time) <= gtfs_time(start_time) then 'ends_before_it_starts'
    when try_cast(headway_secs as int) is null or try_cast(headway_secs as int) <= 0 then 'bad_headway'
    -- Every ten seconds for more than a day: an error in a headway, as each departure is expanded.
    when (gtfs_time(end_time) - gtfs_time(start_time)) / try_cast(headway_secs as int) > 10000 then 'too_many_runs'
    when coalesce(exact_times, '0') not in ('0', '1') then 'bad_exact_times'
    when row_number() over (partition by text_frequencies.trip_id, gtfs_time(start_time) order by text_frequencies.row_number) > 1
      then 'duplicate_row'
  end as refusal
from text_frequencies left join trips using (trip_id);

insert into refused
select 'frequencies', row_number, refusal, trip_id from frequencies_checked where refusal is not null;

create or replace temp table frequencies as
select trip_index, trip_id, start_seconds, end_seconds, headway_seconds, is_exact
from frequencies_checked where refusal is null
order by trip_index, start_seconds;
