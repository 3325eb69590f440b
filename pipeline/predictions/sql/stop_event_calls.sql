-- Calls of a source's stop events with numbers for names. Reads `stop_event_rows`, the rows of the training days with
-- is_cancelled of the counted event, and stands_in where a final forecast stands in for a missing observation; and
-- `known_instants`, the sampling rate of instants. Calls that were cancelled or not observed are kept, because the plan
-- is known beforehand; their delays are NaN.
create or replace temp table stop_calls as
with known as (
  select
    service_date,
    trip_id,
    position,
    coalesce(route_id, line_label, '') as route,
    product,
    stop_id as stop,
    coalesce(station_id, stop_id) as station,
    event,
    scheduled_time,
    coalesce(scheduled_departure_time, scheduled_time) as scheduled_departure_time,
    utc_offset_minutes,
    stands_in,
    case
        when is_cancelled then null
        when evidence = 'observed_actual' and abs(delay_seconds) < 14400 then delay_seconds
        when stands_in and abs(forecast_delay_seconds) < 14400 then forecast_delay_seconds
    end as delay,
    if(not departure_is_cancelled and abs(departure_delay_seconds) < 14400, departure_delay_seconds, null) as departure_delay
  from stop_event_rows
  where not is_added and scheduled_time is not null
),
delays as (
  select
    service_date,
    trip_id,
    position,
    route,
    product,
    stop,
    station,
    epoch(scheduled_time) as scheduled_arrival,
    epoch(greatest(scheduled_time, scheduled_departure_time)) as scheduled_departure,
    coalesce(utc_offset_minutes, 0) * 60 as utc_offset_seconds,
    stands_in,
    if(event = 'arrival', delay, null) as arrival_delay,
    if(event = 'departure', delay, departure_delay) as departure_delay
  from known
)
select
  service_date,
  trip_id,
  position,
  route,
  product,
  stop,
  station,
  scheduled_arrival::double as scheduled_arrival,
  scheduled_departure::double as scheduled_departure,
  utc_offset_seconds,
  stands_in,
  coalesce(arrival_delay, 'nan'::double) as arrival_delay,
  departure_delay is not null as is_departure_reported,
  -- The same rule as `departAfter` in dated-trip-table.ts.
  coalesce(
    departure_delay,
    greatest(0, scheduled_arrival + arrival_delay + least(30, scheduled_departure - scheduled_arrival) - scheduled_departure),
    'nan'::double
  ) as departure_delay
from delays;

-- Planned departure of a run: local clock seconds from the midnight of its service day.
create or replace temp table run_names as
select
  service_date,
  trip_id,
  arg_min(scheduled_departure + utc_offset_seconds, position) - epoch(service_date) as departure_of_day,
  row_number() over (order by service_date, trip_id) - 1 as number
from stop_calls
group by service_date, trip_id;

create or replace temp table route_names as
select route as name, min(product) as product, row_number() over (order by route) - 1 as number
from stop_calls
group by route;

-- A stop that changed its station counts as part of one of them.
create or replace temp table stop_names as
select
  stop as name,
  row_number() over (order by stop) - 1 as number,
  (dense_rank() over (order by max(station)) - 1)::integer as station
from stop_calls
group by stop;

create or replace temp table run_calls as
select
  run_names.number::integer as run,
  date_diff('day', date '1970-01-01', stop_calls.service_date)::integer as service_day,
  -- Set when the runs are read, see train-numbers.ts.
  0 as train,
  route_names.number::integer as route,
  0 as operator,
  stop_names.number::integer as stop,
  stop_calls.position::integer as sequence,
  stop_calls.scheduled_arrival,
  stop_calls.scheduled_departure,
  stop_calls.arrival_delay,
  stop_calls.departure_delay,
  stop_calls.is_departure_reported,
  stop_calls.stands_in::integer as is_forecast,
  -- Bits of `instants` in dated-trip-table.ts; a departure that was filled in is no instant.
  if(stop_calls.is_departure_reported and hash(trip_id, service_date, position, 1) % known_instants.calls = 0, 1, 0)
    + if(not isnan(stop_calls.arrival_delay) and hash(trip_id, service_date, position, 2) % known_instants.calls = 0, 2, 0)
    as is_instant
from stop_calls
cross join known_instants
join run_names using (service_date, trip_id)
join route_names on route_names.name = stop_calls.route
join stop_names on stop_names.name = stop_calls.stop
order by run_names.number, stop_calls.position;
