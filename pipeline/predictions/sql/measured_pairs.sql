-- Predictions of a day with their outcome, one row per pair. Reads `logged_predictions`, `day_stop_events` and
-- `day_observations`, all of one source and service date, and trip and position of `implausible_calls`. Of several
-- predictions from the same observation the last one counts; a prediction made after the arrival is dropped. `reported`
-- is the last forecast of the source itself by then, where it had one.
with logged as (
  select *
  from logged_predictions
  qualify row_number() over (partition by trip_id, from_position, position order by made_at desc) = 1
),
planned as (
  select
    trip_id,
    position,
    scheduled_time,
    coalesce(scheduled_departure_time, scheduled_time) as scheduled_departure_time,
    observed_time,
    if(event = 'arrival' and evidence = 'observed_actual' and not is_cancelled, delay_seconds, null) as delay_seconds
  from day_stop_events
  anti join implausible_calls using (trip_id, position)
  where not is_added
),
pairs as (
  select
    logged.trip_id,
    logged.position,
    logged.made_at,
    logged.current_delay_seconds,
    logged.low_seconds,
    logged.median_seconds,
    logged.high_seconds,
    target.delay_seconds,
    epoch(target.scheduled_time) - epoch(instant.scheduled_departure_time) as planned_seconds,
    epoch(target.observed_time) - epoch(logged.made_at) as seconds_to_arrival
  from logged
  join planned as target using (trip_id, position)
  join planned as instant on instant.trip_id = logged.trip_id and instant.position = logged.from_position
  where target.delay_seconds is not null and abs(target.delay_seconds) < 14400 and target.observed_time > logged.made_at
),
forecasts as (
  select trip_id, position, first_seen_at, if(evidence = 'forecast', delay_seconds, null) as delay_seconds
  from day_observations
  where event = 'arrival' and channel = 'stop_events'
)
select
  pairs.delay_seconds::float as truth,
  pairs.current_delay_seconds::float as current,
  greatest(0, pairs.planned_seconds)::float as horizon_seconds,
  pairs.seconds_to_arrival::float as seconds_to_arrival,
  pairs.low_seconds::float as low,
  pairs.median_seconds::float as median,
  pairs.high_seconds::float as high,
  coalesce(forecasts.delay_seconds, 'nan'::float)::float as reported
from pairs
asof left join forecasts
  on forecasts.trip_id = pairs.trip_id
  and forecasts.position = pairs.position
  and forecasts.first_seen_at <= pairs.made_at
order by pairs.trip_id, pairs.made_at, pairs.position
