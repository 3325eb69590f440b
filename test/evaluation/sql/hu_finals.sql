-- Final values (`final_archive`) of the days in `window_days`, and whether the protocol allows each to be a target.
-- `split_day` holds the first day of the test; stations abroad are determined from the days before it.
with reported as (
  select
    *,
    min(sched_local) over (
      partition by service_date, trip_id order by pos rows between 1 following and unbounded following
    ) as earliest_behind,
    coalesce(arr_delay_min, 0) <> 0 or coalesce(dep_delay_min, 0) <> 0 as has_delay
  from final_archive
  where service_date between (select first_day from window_days) and (select last_day from window_days)
    and sched_local is not null
),
abroad as (
  select station
  from reported
  where service_date < (select day from split_day)
  group by station
  having avg(if(has_delay, 0, 1)) > 0.97
),
reached as (
  select service_date, trip_id, max(pos) filter (where has_delay) as last_delayed
  from reported
  group by service_date, trip_id
)
select
  reported.service_date,
  reported.trip_id,
  reported.station,
  (
    epoch(reported.sched_local) - if(reported.earliest_behind < reported.sched_local - interval 12 hour, 86400, 0)
  )::bigint as scheduled_clock,
  reported.arr_delay_min * 60 as arrival_delay,
  reported.has_arr
    and reported.arr_delay_min is not null
    and abroad.station is null
    and (
      reported.arr_delay_min <> 0
      or reported.pos <= reached.last_delayed
      or (reached.last_delayed is null and reported.observed)
    ) as is_target
from reported
join reached using (service_date, trip_id)
left join abroad on abroad.station = reported.station
