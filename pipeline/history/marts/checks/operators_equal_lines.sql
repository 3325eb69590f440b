-- Days of an operator on which operator_hourly and the sum of its lines differ.
with

summed as (
    select
        service_date,
        source,
        operator,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        early_min_seconds,
        evidence,
        rules_version,
        sum(scheduled)::bigint as scheduled,
        sum(observed)::bigint as observed,
        sum(on_time)::bigint as on_time,
        sum(early)::bigint as early,
        sum(late10)::bigint as late10,
        sum(cancelled)::bigint as cancelled,
        sum(replaced)::bigint as replaced,
        sum(delay_sum_seconds)::bigint as delay_sum_seconds
    from operator_hourly
    group by all
),

lines as (
    select
        service_date,
        source,
        operator,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        early_min_seconds,
        evidence,
        rules_version,
        sum(scheduled)::bigint as scheduled,
        sum(observed)::bigint as observed,
        sum(on_time)::bigint as on_time,
        sum(early)::bigint as early,
        sum(late10)::bigint as late10,
        sum(cancelled)::bigint as cancelled,
        sum(replaced)::bigint as replaced,
        sum(delay_sum_seconds)::bigint as delay_sum_seconds
    from line_daily
    group by all
)

(from summed except all from lines)
union all
(from lines except all from summed)
