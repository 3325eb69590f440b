-- from: int_judged_calls, int_lines, definitions
with

-- Grouped by the minute first: lists of a few values each are cheap, one of all delays is not.
minutes as (
    select
        source_number,
        line_key,
        dow,
        hour,
        definition_number,
        floor(delay_seconds / 60)::integer as delay_minutes,
        count(*) as scheduled,
        count(delay_seconds) as observed,
        count(*) filter (delay_seconds < on_time_max_delay_seconds) as on_time,
        count(*) filter (delay_seconds <= early_min_seconds) as early,
        count(*) filter (delay_seconds >= late_min_delay_seconds) as late10,
        count(*) filter (is_cancelled) as cancelled,
        coalesce(sum(delay_seconds), 0) as delay_sum_seconds
    from int_judged_calls
    group by all
),

hours as (
    select
        source_number,
        line_key,
        dow,
        hour,
        definition_number,
        sum(scheduled) as scheduled,
        sum(observed) as observed,
        sum(on_time) as on_time,
        sum(early) as early,
        sum(late10) as late10,
        sum(cancelled) as cancelled,
        sum(delay_sum_seconds) as delay_sum_seconds,
        -- Delays of weeks are errors of the publisher; they stay in the sum, and at the end of the scale.
        list_sort(
            list(
                {
                    'delay_minutes': greatest(-32768, least(32767, delay_minutes))::smallint,
                    'events': observed::integer
                }
            ) filter (delay_minutes is not null)
        ) as bars
    from minutes
    group by all
)

select
    getvariable('service_date')::date as service_date,
    source,
    line,
    product,
    operator,
    dow,
    hour,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    evidence,
    rules_version,
    scheduled,
    observed,
    on_time,
    early,
    observed - on_time as late,
    late10,
    cancelled,
    scheduled - observed - cancelled as missing,
    delay_sum_seconds,
    coalesce(bars, []) as delay_histogram
from hours
inner join int_lines using (source_number, line_key)
inner join definitions on definitions.number = definition_number
