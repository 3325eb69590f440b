-- Days of a line whose median is above its 90th percentile, exists without an observation, or is missing despite one.
select *
from line_daily
where
    p50_delay_seconds > p90_delay_seconds
    or (observed > 0) <> (p50_delay_seconds is not null)
    or (observed > 0) <> (p90_delay_seconds is not null)
