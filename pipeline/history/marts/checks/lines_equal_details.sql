-- Days of a line whose line_daily differs from the sum of its rows in the cube or in stop_daily.
with

details as (
    select 'punctuality_cube' as mart, * from punctuality_cube
    union all by name
    select 'stop_daily' as mart, * from stop_daily
),

summed as (
    select
        mart,
        service_date,
        source,
        line,
        product,
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
    from details
    group by all
),

lines as (
    select
        mart,
        service_date,
        source,
        line,
        product,
        operator,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        early_min_seconds,
        evidence,
        rules_version,
        scheduled::bigint as scheduled,
        observed::bigint as observed,
        on_time::bigint as on_time,
        early::bigint as early,
        late10::bigint as late10,
        cancelled::bigint as cancelled,
        replaced::bigint as replaced,
        delay_sum_seconds
    from line_daily
    cross join (values ('punctuality_cube'), ('stop_daily')) as marts(mart)
)

(from summed except all from lines)
union all
(from lines except all from summed)
