-- Duplicate keys of stop_daily.
select
    service_date, source, line, product, operator, feed_source, stop_id,
    on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence, rules_version,
    count(*) as n
from stop_daily
group by all
having count(*) > 1
