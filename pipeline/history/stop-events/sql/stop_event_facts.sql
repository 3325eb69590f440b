-- Statistics of one day (view stop_events_of_day, in which is_cancelled is of the counted event): planned and observed
-- calls by hour of their local time, and how many calls are planned before the preceding one.
with calls as (
    select
        *,
        hour(make_timestamp(epoch_us(scheduled_time)) + to_minutes(utc_offset_minutes)) as local_hour,
        scheduled_time < lag(scheduled_time) over (partition by feed_source, trip_id order by position) as is_falling
    from stop_events_of_day
    where not is_added
)

select
    local_hour,
    count(*)::double as scheduled,
    count(*) filter (evidence = 'observed_actual' and not is_cancelled)::double as observed,
    count(*) filter (is_cancelled)::double as cancelled,
    count(*) filter (is_falling)::double as falling
from calls
group by local_hour
order by local_hour
