-- Duplicate keys of line_daily.
select
    service_date, source, line, product, operator,
    on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence, rules_version,
    count(*) as n
from line_daily
group by all
having count(*) > 1
