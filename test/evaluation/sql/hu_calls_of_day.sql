-- Calls of the final values in `final_archive` with numbers for names, in the order of the run table. Reads
-- `window_days` with the first and last service date. A 0 counts as unknown behind the last reported delay of a trip, and
-- everywhere in a trip that was never delayed nor observed; trips keep their plan.
with reported as (
  select
    *,
    min(sched_local) over (
      partition by service_date, trip_id order by pos rows between 1 following and unbounded following
    ) as earliest_behind,
    max(pos) filter (where arr_delay_min <> 0 or dep_delay_min <> 0) over (
      partition by service_date, trip_id
    ) as last_delayed
  from final_archive
  where service_date between (select first_day from window_days) and (select last_day from window_days)
    and sched_local is not null
),
calls as (
  select
    service_date,
    trip_id,
    pos,
    coalesce(train_number, trip_id) as train,
    station as stop,
    (
      epoch(sched_local - interval 1 hour)
        - if(earliest_behind < sched_local - interval 12 hour, 86400, 0)
    )::double as scheduled,
    coalesce(pos <= last_delayed, observed) as is_known,
    has_arr,
    arr_delay_min * 60 as arrival_delay,
    dep_delay_min * 60 as departure_delay
  from reported
),
runs as (
  select service_date, trip_id, row_number() over (order by service_date, trip_id) - 1 as number
  from (select distinct service_date, trip_id from calls)
),
trains as (select train, row_number() over (order by train) - 1 as number from (select distinct train from calls)),
stops as (select stop, row_number() over (order by stop) - 1 as number from (select distinct stop from calls))
select
  runs.number::integer as run,
  date_diff('day', date '1970-01-01', calls.service_date)::integer as service_day,
  trains.number::integer as train,
  trains.number::integer as route,
  0 as operator,
  stops.number::integer as stop,
  calls.pos::integer as sequence,
  calls.scheduled as scheduled_arrival,
  calls.scheduled as scheduled_departure,
  if(is_known and has_arr, arrival_delay::double, 'nan') as arrival_delay,
  if(is_known, departure_delay::double, 'nan') as departure_delay,
  true as is_departure_reported,
  is_known as is_instant
from calls
join runs using (service_date, trip_id)
join trains using (train)
join stops using (stop)
order by runs.number, calls.pos
