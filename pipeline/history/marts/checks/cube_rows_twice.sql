-- Duplicate keys of punctuality_cube.
select
    service_date, source, line, product, operator, dow, hour,
    on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence, rules_version,
    count(*) as n
from punctuality_cube
group by all
having count(*) > 1
