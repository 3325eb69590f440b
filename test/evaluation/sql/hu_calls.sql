-- Calls of the trips of `hu_rows`, with their final values (`hu_finals`), in the order of the run table. Lists lose
-- stops at their beginning, so that positions change from poll to poll: a stop is identified by its name and planned
-- time, and its position is counted from the end of the list.
with calls as (
  select
    service_date,
    trip_id,
    station,
    scheduled_clock,
    any_value(train_number) as train,
    max(places_behind) as places_behind
  from hu_rows
  group by service_date, trip_id, station, scheduled_clock
),
-- One offset per trip, so that a stop keeps one planned time in the night of a clock change.
runs as (
  select
    service_date,
    trip_id,
    row_number() over (order by service_date, trip_id) - 1 as number,
    arg_min(clock_offset, polled_at) as clock_offset
  from hu_rows
  group by service_date, trip_id
),
trains as (select train, row_number() over (order by train) - 1 as number from (select distinct train from calls)),
stops as (select station, row_number() over (order by station) - 1 as number from (select distinct station from calls))
select
  row_number() over (order by runs.number, calls.places_behind desc, calls.scheduled_clock, calls.station) - 1 as call,
  runs.number as run,
  calls.service_date,
  calls.trip_id,
  calls.station,
  date_diff('day', date '1970-01-01', calls.service_date) as service_day,
  trains.number as train,
  stops.number as stop,
  calls.scheduled_clock,
  calls.scheduled_clock - runs.clock_offset as scheduled_at,
  coalesce(finals.is_target, false) as is_target,
  if(coalesce(finals.is_target, false), finals.arrival_delay::double, 'nan') as truth
from calls
join runs using (service_date, trip_id)
join trains on trains.train is not distinct from calls.train
join stops using (station)
left join hu_finals as finals using (service_date, trip_id, station, scheduled_clock)
