-- Connections between two lines at a station. One planned connection: an arrival of one line, and the next departure of
-- another line and direction 2 to 15 minutes later by schedule. Its outcome depends on observed times alone: it was
-- missed when the vehicle departed less than 2 minutes after the arrival, or was cancelled. A connection whose arrival
-- was not observed or was cancelled, or whose departure is unknown, is planned and not observed. Connections within a
-- line do not count, nor those of lines without a name, nor arrivals at the stop where a trip begins late.
-- from: int_merged_calls, int_names, built_day
with

calls as (
    select
        *,
        case when evidence_rank = 0 then delay_seconds end as observed_delay
    from int_merged_calls
    where has_line
),

arrivals as (
    select
        station_key,
        label_key,
        scheduled,
        scheduled + 120 as earliest,
        scheduled + observed_delay as observed
    from calls
    where is_arrival
),

departures as (
    select
        station_key,
        label_key,
        direction_key,
        departure_is_cancelled as is_cancelled,
        case when is_arrival then scheduled_departure else scheduled end as scheduled,
        case when is_arrival then departure_delay_seconds else observed_delay end as late_by
    from calls
    where not is_arrival or scheduled_departure is not null
),

-- The previous departure of the same line and direction: riders who can reach that one take it. Of departures at the
-- same time, those that run come first, and of these the latest: riders take what they can reach.
followed as (
    select
        *,
        scheduled + late_by as observed,
        lag(scheduled) over (
            partition by station_key, label_key, direction_key
            order by scheduled, is_cancelled, late_by desc
        ) as before
    from departures
),

-- A quarter of an hour is one window or its neighbour, so that the engine can join by equality.
windows as (
    select *, @whole_quotient(scheduled, 900) as quarter from followed
    union all
    select *, @whole_quotient(scheduled, 900) - 1 as quarter from followed
),

pairs as (
    select
        arrivals.station_key,
        arrivals.label_key as from_key,
        windows.label_key as to_key,
        arrivals.observed is not null and (windows.observed is not null or windows.is_cancelled) as is_observed,
        windows.is_cancelled,
        coalesce(windows.observed < arrivals.observed + 120, false) as is_left
    from arrivals
    inner join windows
        on windows.quarter = @whole_quotient(arrivals.scheduled, 900)
        and windows.station_key = arrivals.station_key
        and windows.label_key <> arrivals.label_key
        and windows.scheduled >= arrivals.earliest
        and windows.scheduled <= arrivals.scheduled + 900
        and (windows.before is null or windows.before < arrivals.earliest)
),

counted as (
    select
        station_key,
        from_key,
        to_key,
        count(*) as planned,
        count(*) filter (where is_observed) as observed,
        count(*) filter (where is_observed and (is_left or is_cancelled)) as missed,
        count(*) filter (where is_observed and is_cancelled) as cancelled
    from pairs
    group by station_key, from_key, to_key
),

stations as (
    select
        station_key,
        feed_source,
        station_id,
        min(stop_name) as station_name
    from int_names
    group by station_key, feed_source, station_id
),

labels as (
    select distinct label_key, line from int_names
)

-- Archives may give two stations the same name.
select
    built_day.service_date,
    '*' as source,
    feed_source,
    station_id,
    min(station_name) as station_name,
    from_labels.line as from_line,
    to_labels.line as to_line,
    built_day.rules_version,
    sum(planned) as planned,
    sum(observed) as observed,
    sum(missed) as missed,
    sum(cancelled) as cancelled
from counted
inner join stations using (station_key)
inner join labels as from_labels on from_labels.label_key = from_key
inner join labels as to_labels on to_labels.label_key = to_key
cross join built_day
group by 1, 2, 3, 4, 6, 7, 8
