-- Definitions by which the merged sources count a call twice, or lose one.
with

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
cross join int_call_count
where coalesce(scheduled, 0) <> calls
