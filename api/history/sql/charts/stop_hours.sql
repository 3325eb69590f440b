-- Weekdays (1 is Monday) and hours of the scheduled local time with observed calls. By stop the marts have no counts of
-- the calls that were on time in an hour.
-- from: calls
select
    dow,
    hour,
    sum(events) as observed,
    null::bigint as on_time,
    null::double as on_time_share,
    sum(delay_sum_seconds) / sum(events) as mean_delay_seconds
from (select unnest(hours, recursive := true) from calls)
where events > 0
group by dow, hour
order by all
