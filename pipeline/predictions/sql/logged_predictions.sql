-- Predictions as they are stored, from `logged_rows`, which were appended as numbers. NaN becomes null.
select
  day,
  trip_id,
  make_timestamptz((made_at * 1e6)::bigint) as made_at,
  model,
  from_position,
  make_timestamptz((observed_at * 1e6)::bigint) as observed_at,
  is_from_position = 1 as is_from_position,
  current_delay_seconds,
  position,
  low_seconds,
  median_seconds,
  high_seconds,
  train_runs::integer as train_runs,
  if(isnan(train_change_seconds), null, train_change_seconds) as train_change_seconds,
  pattern_runs::integer as pattern_runs,
  if(isnan(pattern_change_seconds), null, pattern_change_seconds) as pattern_change_seconds,
  if(isnan(leg_values) or isinf(leg_values), 0, leg_values)::integer as leg_values,
  if(isnan(legs_change_seconds), null, legs_change_seconds) as legs_change_seconds
from logged_rows
order by trip_id, made_at, from_position, position
