-- Counts of each line by month, for the whole months of a period.
select
    source,
    cast(date_trunc('month', service_date) as date) as first_date,
    line,
    product,
    operator,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence,
    cast(sum(observed) as integer) as observed,
    cast(sum(on_time) as integer) as on_time,
    cast(sum(delay_sum_seconds) as bigint) as delay_sum_seconds
from marts.line_daily
group by all
order by source, line, first_date
