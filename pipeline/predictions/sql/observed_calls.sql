-- Observed times of the calls of `day_stop_events`, of one source and service date, ordered by trip and position. UTC
-- seconds and seconds of delay; NaN where an event was not observed.
with known as (
  select
    trip_id,
    position,
    event,
    epoch(scheduled_time) as scheduled,
    epoch(scheduled_departure_time) as scheduled_departure,
    if(evidence = 'observed_actual' and not is_cancelled and abs(delay_seconds) < 14400, delay_seconds, null) as delay,
    if(not departure_is_cancelled and abs(departure_delay_seconds) < 14400, departure_delay_seconds, null) as departure_delay
  from day_stop_events
  where not is_added and scheduled_time is not null
),
calls as (
  select
    trip_id,
    position,
    if(event = 'arrival', scheduled + delay, null) as arrival_time,
    if(event = 'departure', delay, departure_delay) as departure_delay,
    if(event = 'departure', scheduled, scheduled_departure) as departed_at
  from known
)
select
  (row_number() over (order by trip_id, position) - 1)::integer as place,
  dense_rank() over (order by trip_id)::integer as run,
  trip_id,
  position,
  coalesce(arrival_time, 'nan'::double) as arrival_time,
  coalesce(departed_at + departure_delay, 'nan'::double) as departure_time,
  coalesce(departure_delay, 'nan'::double) as departure_delay
from calls
