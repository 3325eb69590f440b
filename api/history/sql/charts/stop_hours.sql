-- Weekdays (1 is Monday) and hours of the scheduled local time with observed calls. By stop the marts have no counts of
-- the calls that were on time in an hour.
-- from: calls
select
    dow,
    hour,
    sum(events) as observed,
    cast(null as bigint) as on_time,
    cast(null as double) as on_time_share,
    cast(sum(delay_sum_seconds) as double) / sum(events) as mean_delay_seconds
from @unnested(calls, hours, dow, hour, events, delay_sum_seconds) as bars
where events > 0
group by dow, hour
order by dow, hour
