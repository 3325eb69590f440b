-- Weekdays (1 is Monday) and hours of the scheduled local time with observed calls.
-- from: calls
select
    dow,
    hour,
    sum(observed) as observed,
    sum(on_time) as on_time,
    cast(sum(on_time) as double) / sum(observed) as on_time_share,
    cast(sum(delay_sum_seconds) as double) / sum(observed) as mean_delay_seconds
from calls
where observed > 0
group by dow, hour
order by dow, hour
