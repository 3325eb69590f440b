-- The quantiles are those of the delays themselves.
-- from: int_judged_calls, int_lines, definitions, built_day
with

counted as (
    select
        source_number,
        line_key,
        definition_number,
        count(*) as scheduled,
        count(delay_seconds) as observed,
        count(delay_seconds) filter (where is_derived) as derived,
        count(delay_seconds) filter (where is_forecast) as forecasts,
        count(*) filter (where delay_seconds < on_time_max_delay_seconds) as on_time,
        count(*) filter (where delay_seconds <= early_min_seconds) as early,
        count(*) filter (where delay_seconds >= late_min_delay_seconds) as late10,
        count(*) filter (where is_cancelled) as cancelled,
        count(*) filter (where is_replaced) as replaced,
        coalesce(sum(delay_seconds), 0) as delay_sum_seconds,
        @quantile(delay_seconds, 0.5) as p50_delay_seconds,
        @quantile(delay_seconds, 0.9) as p90_delay_seconds
    from int_judged_calls
    group by source_number, line_key, definition_number
)

select
    built_day.service_date,
    source,
    line,
    product,
    operator,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence,
    definitions.rules_version,
    scheduled,
    observed,
    derived,
    forecasts,
    on_time,
    early,
    observed - on_time as late,
    late10,
    cancelled,
    replaced,
    scheduled - observed - cancelled as missing,
    delay_sum_seconds,
    p50_delay_seconds,
    p90_delay_seconds
from counted
inner join int_lines using (source_number, line_key)
inner join definitions on definitions.number = definition_number
cross join built_day
