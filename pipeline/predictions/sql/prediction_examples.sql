-- Some forecasts of a day as they were made: one row per call of the trip. Reads `logged_predictions`, `day_stop_events`
-- and `day_observations`, all of one source and service date, and trip and position of `implausible_calls`.
-- values: seed, a text of the source and the day; examples, how many
-- Only forecasts with an observed arrival after them are chosen, in an order that the seed alone decides.
with planned as (
  select
    *,
    if(evidence = 'observed_actual' and not is_cancelled, delay_seconds, null) as observed_delay_seconds
  from day_stop_events
  anti join implausible_calls using (trip_id, position)
  where not is_added
),
forecasts as (
  select
    trip_id,
    from_position,
    made_at,
    md5(concat_ws(' ', $seed, trip_id, from_position::varchar, epoch(made_at)::bigint::varchar)) as draw
  from logged_predictions
  join planned using (trip_id, position)
  where planned.observed_delay_seconds is not null and planned.observed_time > made_at
  group by all
),
chosen as (
  select *, row_number() over (order by draw, trip_id, made_at) as example
  from forecasts
  qualify example <= $examples
),
trips as (
  select trip_id, made_at, from_position, any_value(model) as model, any_value(observed_at) as observed_at,
    any_value(current_delay_seconds) as current_delay_seconds
  from logged_predictions
  group by all
),
calls as (
  select chosen.example, chosen.made_at, chosen.from_position, planned.*
  from chosen
  join planned using (trip_id)
),
reports as (
  select trip_id, position, first_seen_at, if(evidence = 'forecast', delay_seconds, null) as delay_seconds
  from day_observations
  where event = 'arrival' and channel = 'stop_events'
)
select
  calls.example::integer as example,
  calls.trip_id,
  calls.line_label as line,
  calls.direction,
  calls.made_at::varchar as made_at,
  trips.model,
  calls.from_position::integer as from_position,
  trips.observed_at::varchar as observed_at,
  trips.current_delay_seconds,
  calls.position::integer as position,
  calls.stop_name,
  calls.scheduled_time::varchar as scheduled_time,
  calls.observed_delay_seconds as delay_seconds,
  forecast.low_seconds,
  forecast.median_seconds,
  forecast.high_seconds,
  if(calls.position > calls.from_position, reports.delay_seconds, null) as reported_delay_seconds,
  forecast.train_runs,
  forecast.train_change_seconds::double as train_change_seconds,
  forecast.pattern_runs,
  forecast.pattern_change_seconds::double as pattern_change_seconds,
  forecast.leg_values,
  forecast.legs_change_seconds::double as legs_change_seconds
from calls
join trips using (trip_id, made_at, from_position)
left join logged_predictions as forecast using (trip_id, made_at, from_position, position)
asof left join reports
  on reports.trip_id = calls.trip_id
  and reports.position = calls.position
  and reports.first_seen_at <= calls.made_at
order by calls.example, calls.position
