-- from: int_judged_calls, int_lines, definitions, built_day
with

-- Grouped by the minute first: lists of a few values each are cheap, one of all delays is not.
minutes as (
    select
        source_number,
        line_key,
        dow,
        hour,
        definition_number,
        cast(floor(cast(delay_seconds as double) / 60) as integer) as delay_minutes,
        count(*) as scheduled,
        count(delay_seconds) as observed,
        count(delay_seconds) filter (where is_derived) as derived,
        count(delay_seconds) filter (where is_forecast) as forecasts,
        count(*) filter (where delay_seconds < on_time_max_delay_seconds) as on_time,
        count(*) filter (where delay_seconds <= early_min_seconds) as early,
        count(*) filter (where delay_seconds >= late_min_delay_seconds) as late10,
        count(*) filter (where is_cancelled) as cancelled,
        count(*) filter (where is_replaced) as replaced,
        coalesce(sum(delay_seconds), 0) as delay_sum_seconds
    from int_judged_calls
    group by 1, 2, 3, 4, 5, 6
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
        sum(derived) as derived,
        sum(forecasts) as forecasts,
        sum(on_time) as on_time,
        sum(early) as early,
        sum(late10) as late10,
        sum(cancelled) as cancelled,
        sum(replaced) as replaced,
        sum(delay_sum_seconds) as delay_sum_seconds,
        -- Delays of weeks are errors of the publisher; they stay in the sum, and at the end of the scale.
        @sorted_rows(
            delay_minutes is not null,
            delay_minutes, smallint, greatest(-32768, least(32767, delay_minutes)),
            events, integer, observed
        ) as bars
    from minutes
    group by source_number, line_key, dow, hour, definition_number
)

select
    built_day.service_date,
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
    bars as delay_histogram
from hours
inner join int_lines using (source_number, line_key)
inner join definitions on definitions.number = definition_number
cross join built_day
