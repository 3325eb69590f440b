-- Definitions by which the merged sources count a call twice, or lose one.
with

-- Hashed, because comparing the texts of half a million rows takes three times as long.
calls as (
    select
        count(distinct hash(feed_source, trip_id, position)) filter (feed_source <> '')
        + count(*) filter (feed_source = '') as n
    from stg_stop_events
),

counted as (
    select
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        early_min_seconds,
        evidence,
        sum(scheduled)::bigint as scheduled
    from punctuality_cube
    where source = '*'
    group by all
)

select *
from definitions
left join counted using (on_time_max_delay_seconds, late_min_delay_seconds, early_min_seconds, evidence)
cross join calls
where coalesce(scheduled, 0) <> n
