-- Rows of snapshots (`archive`) of the days in `window_days`, one per trip, poll and stop. Polls are UTC seconds,
-- planned times are seconds of the local clock, which is `clock_offset` ahead.
-- 2024-12 MAV: the first stops of a list that has lost its beginning are reported a day late. A stop that lies half a
-- day after a later one of its list is moved back by that day.
with reported as (
  select
    *,
    min(sched_local) over (
      partition by service_date, trip_id, req_utc order by pos rows between 1 following and unbounded following
    ) as earliest_behind,
    count(*) over (partition by service_date, trip_id, req_utc) as list_length
  from archive
  where service_date between (select first_day from window_days) and (select last_day from window_days)
    and sched_local is not null
)
select
  service_date,
  trip_id,
  train_number,
  station,
  pos,
  list_length - pos as places_behind,
  epoch(req_utc)::bigint as polled_at,
  (epoch(sched_local) - if(earliest_behind < sched_local - interval 12 hour, 86400, 0))::bigint as scheduled_clock,
  (epoch(req_local) - epoch(req_utc))::bigint as clock_offset,
  has_arr,
  coalesce(arr_delay_min, 0) as arrival_minutes,
  coalesce(dep_delay_min, 0) as departure_minutes
from reported
