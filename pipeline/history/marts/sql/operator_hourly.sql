-- The cube without its lines and products, for queries of an operator.
-- from: punctuality_cube
select
    service_date,
    source,
    operator,
    dow,
    hour,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence,
    rules_version,
    sum(scheduled) as scheduled,
    sum(observed) as observed,
    sum(derived) as derived,
    sum(forecasts) as forecasts,
    sum(on_time) as on_time,
    sum(early) as early,
    sum(late) as late,
    sum(late10) as late10,
    sum(cancelled) as cancelled,
    sum(replaced) as replaced,
    sum(missing) as missing,
    sum(delay_sum_seconds) as delay_sum_seconds
from punctuality_cube
group by
    service_date,
    source,
    operator,
    dow,
    hour,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence,
    rules_version
