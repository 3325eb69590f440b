-- Logged forecasts of the calls in `wanted_calls`. Reads `logged_predictions` of one
-- source and service date, and `run_names`, the numbers of its trips. Times in UTC seconds, delays in seconds.
select
  wanted_calls.call,
  epoch(logged_predictions.made_at)::double as made_at,
  epoch(logged_predictions.observed_at)::double as observed_at,
  logged_predictions.low_seconds::float as low,
  logged_predictions.median_seconds::float as median,
  logged_predictions.high_seconds::float as high
from logged_predictions
join run_names using (trip_id)
join wanted_calls on wanted_calls.run = run_names.number and wanted_calls.position = logged_predictions.position
