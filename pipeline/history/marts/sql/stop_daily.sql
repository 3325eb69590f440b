-- from: int_judged_calls, int_names, int_lines, definitions, built_day
with

-- Grouped by the hour first: a line has a handful of calls at a stop in one. Numbers get their width here, because
-- changing it later copies the list.
hours as (
    select
        source_number,
        place_key,
        definition_number,
        dow,
        hour,
        count(*) as scheduled,
        count(delay_seconds) as observed,
        count(delay_seconds) filter (where is_derived) as derived,
        count(delay_seconds) filter (where is_forecast) as forecasts,
        count(*) filter (where delay_seconds < on_time_max_delay_seconds) as on_time,
        count(*) filter (where delay_seconds <= early_min_seconds) as early,
        count(*) filter (where delay_seconds >= late_min_delay_seconds) as late10,
        count(*) filter (where is_cancelled) as cancelled,
        count(*) filter (where is_replaced) as replaced,
        cast(coalesce(sum(delay_seconds), 0) as bigint) as delay_sum_seconds
    from int_judged_calls
    group by source_number, place_key, definition_number, dow, hour
),

counted as (
    select
        source_number,
        place_key,
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
        @sorted_rows(
            observed > 0,
            dow, tinyint, dow,
            hour, tinyint, hour,
            events, integer, observed,
            delay_sum_seconds, bigint, delay_sum_seconds
        ) as bars
    from hours
    group by source_number, place_key, definition_number
),

places as (
    select
        place_key,
        line_key,
        feed_source,
        stop_id,
        min(stop_name) as stop_name,
        min(station_id) as station_id
    from int_names
    group by place_key, line_key, feed_source, stop_id
)

select
    built_day.service_date,
    source,
    line,
    product,
    operator,
    feed_source,
    stop_id,
    stop_name,
    station_id,
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
    bars as hours
from counted
inner join places using (place_key)
inner join int_lines using (source_number, line_key)
inner join definitions on definitions.number = definition_number
cross join built_day
