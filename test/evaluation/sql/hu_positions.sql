-- Positions of the trips of `hu_calls` (`position_archive`), by trip and time. `delay_minutes` is NaN without a delay.
with runs as (select distinct trip_id, run from hu_calls)
select
  runs.run,
  epoch(obs_utc)::bigint as seen_at,
  coalesce(delay_min, 'nan'::double) as delay_minutes,
  coalesce(lat, 'nan'::double) as latitude,
  coalesce(lon, 'nan'::double) as longitude
from position_archive
join runs on runs.trip_id = position_archive.elvira_id
