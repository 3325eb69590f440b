-- Days on which all sources together count a call twice, or lose one.
with

calls as (
    select count(*) as n from (
        select distinct feed_source, trip_id, position from stg_stop_events where feed_source <> ''
        union all
        select feed_source, trip_id, position from stg_stop_events where feed_source = ''
    )
),

counted as (
    select
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        evidence,
        sum(scheduled)::bigint as scheduled
    from punctuality_cube
    where source = '*'
    group by all
)

select *
from counted
cross join calls
where scheduled <> n
