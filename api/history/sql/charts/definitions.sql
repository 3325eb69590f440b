-- The definitions by which the calls of the period were counted.
-- from: calls
select distinct
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence
from calls
order by on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence
