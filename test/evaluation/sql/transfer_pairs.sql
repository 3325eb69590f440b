-- Changes between trains at one stop, with the calls as places in `run_calls`: an arrival of one train, and a departure
-- of another 3 to 20 minutes later, not back to where the first came from. Reads `run_calls`, and `archive` for the
-- names that the protocol hashes; both must hold the same rows of `window_days`. Only calls with delays count, also as
-- the stop before and the stop after.
with named as (
  select
    service_date,
    trip_name,
    trip_id,
    stop as stop_name,
    seq::integer as sequence,
    (dense_rank() over (order by service_date, trip_name, trip_id) - 1)::integer as run
  from archive
  where service_date between (select first_day from window_days) and (select last_day from window_days)
    and arr_sched_utc is not null
    and dep_sched_utc is not null
),
placed as (
  select *, (row_number() over (order by run, sequence) - 1)::integer as place from run_calls
),
counted as (
  select
    *,
    lag(stop) over trip as stop_before,
    lead(stop) over trip as stop_after
  from placed
  where not isnan(arrival_delay) and not isnan(departure_delay)
  window trip as (partition by run order by sequence)
),
calls as (select * from counted join named using (run, sequence)),
arrivals as (select * from calls where stop_before is not null),
departures as (select * from calls where stop_after is not null)
select
  a.place as arrival,
  b.place as departure,
  hash(
    a.trip_name || '#' || a.trip_id || a.service_date || a.stop_name || b.trip_name || b.trip_id
  ) % 12 = 0 as is_sampled
from arrivals a
join departures b using (service_day, stop)
where a.train <> b.train
  and a.stop_before <> b.stop_after
  and b.scheduled_departure - a.scheduled_arrival between 180 and 1200
order by a.place, b.place
