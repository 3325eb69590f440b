-- Duplicate keys of network_hourly.
select
    service_date, source, dow, hour,
    on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence, rules_version,
    count(*) as n
from network_hourly
group by all
having count(*) > 1
