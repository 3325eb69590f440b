-- What the source has published of the calls in `wanted_calls`. Reads `day_observations` of one source and service date,
-- and `run_names`, the numbers of its trips. `event` is twice the call, and one more for its departure. Times in UTC
-- seconds, delays in seconds; NaN where the report has none.
select
  (2 * wanted_calls.call + if(day_observations.event = 'departure', 1, 0))::integer as event,
  epoch(day_observations.first_seen_at)::double as first_seen,
  epoch(day_observations.last_seen_at)::double as last_seen,
  coalesce(if(day_observations.evidence = 'forecast', day_observations.delay_seconds, null), 'nan'::double)::double as delay
from day_observations
join run_names using (trip_id)
join wanted_calls on wanted_calls.run = run_names.number and wanted_calls.position = day_observations.position
where day_observations.channel = 'stop_events'
