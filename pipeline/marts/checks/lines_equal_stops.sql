-- Days of a line of which line_daily and stop_daily do not say the same.
with

summed as (
    select
        service_date,
        source,
        line,
        product,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        evidence,
        rules_version,
        sum(scheduled)::bigint as scheduled,
        sum(observed)::bigint as observed,
        sum(on_time)::bigint as on_time,
        sum(early)::bigint as early,
        sum(late10)::bigint as late10,
        sum(cancelled)::bigint as cancelled,
        sum(delay_sum_seconds)::bigint as delay_sum_seconds
    from stop_daily
    group by all
),

lines as (
    select
        service_date,
        source,
        line,
        product,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        evidence,
        rules_version,
        scheduled::bigint as scheduled,
        observed::bigint as observed,
        on_time::bigint as on_time,
        early::bigint as early,
        late10::bigint as late10,
        cancelled::bigint as cancelled,
        delay_sum_seconds
    from line_daily
)

(from summed except all from lines)
union all
(from lines except all from summed)
