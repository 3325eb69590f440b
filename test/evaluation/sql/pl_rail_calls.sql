-- Calls of the archive with numbers for names, in the order of the run table. Reads `archive`, and `window_days` with
-- the first and last service date. Calls that the protocol excludes are kept, because the plan is known beforehand;
-- their delays are NaN. One row in three is an instant of prediction, by the hash that the protocol defines.
with checked as (
  select
    *,
    coalesce(not cancelled and abs(arr_delay_s) < 14400 and abs(dep_delay_s) < 14400, false) as is_counted
  from archive
  where service_date between (select first_day from window_days) and (select last_day from window_days)
    and arr_sched_utc is not null
    and dep_sched_utc is not null
),
calls as (
  select
    service_date,
    trip_name,
    trip_id,
    seq,
    coalesce(train_no, trip_name) as train,
    coalesce(route, '') as route,
    coalesce(operator, '') as operator,
    stop,
    epoch(arr_sched_utc)::double as scheduled_arrival,
    epoch(dep_sched_utc)::double as scheduled_departure,
    if(is_counted, arr_delay_s::double, 'nan') as arrival_delay,
    if(is_counted, dep_delay_s::double, 'nan') as departure_delay,
    is_counted and hash(trip_name || '#' || trip_id || service_date || seq) % 3 = 0 as is_instant
  from checked
),
-- Small tables of names: numbering these and joining takes a fraction of the time of ranking all rows.
runs as (
  select service_date, trip_name, trip_id, row_number() over (order by service_date, trip_name, trip_id) - 1 as number
  from (select distinct service_date, trip_name, trip_id from calls)
),
trains as (select train, row_number() over (order by train) - 1 as number from (select distinct train from calls)),
routes as (select route, row_number() over (order by route) - 1 as number from (select distinct route from calls)),
operators as (
  select operator, row_number() over (order by operator) - 1 as number from (select distinct operator from calls)
),
stops as (select stop, row_number() over (order by stop) - 1 as number from (select distinct stop from calls))
select
  runs.number::integer as run,
  date_diff('day', date '1970-01-01', calls.service_date)::integer as service_day,
  trains.number::integer as train,
  routes.number::integer as route,
  operators.number::integer as operator,
  stops.number::integer as stop,
  calls.seq::integer as sequence,
  calls.scheduled_arrival,
  calls.scheduled_departure,
  calls.arrival_delay,
  calls.departure_delay,
  true as is_departure_reported,
  calls.is_instant
from calls
join runs using (service_date, trip_name, trip_id)
join trains using (train)
join routes using (route)
join operators using (operator)
join stops using (stop)
order by runs.number, calls.seq
