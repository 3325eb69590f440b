-- Days of a line whose median lies above nine in ten, is there without an observation, or is missing beside one.
select *
from line_daily
where
    p50_delay_seconds > p90_delay_seconds
    or (observed > 0) <> (p50_delay_seconds is not null)
    or (observed > 0) <> (p90_delay_seconds is not null)
