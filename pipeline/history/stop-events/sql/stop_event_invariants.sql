-- Violated invariants of the rows of one day (view stop_events_of_day, in which is_cancelled is of the counted event;
-- variable service_date): must be empty.
with calls as (
    select
        *,
        count(*) over (partition by feed_source, trip_id, position) as times_there,
        trip_id || ' at ' || position as call_name
    from stop_events_of_day
),

broken as (
    select 'duplicate_call' as code, call_name from calls where times_there > 1

    union all

    select 'delay_unlike_times', call_name
    from calls
    where delay_seconds <> (epoch_us(observed_time) - epoch_us(scheduled_time)) // 1000000

    union all

    select 'delay_without_observation', call_name
    from calls
    where delay_seconds is not null and (evidence <> 'observed_actual' or is_cancelled)

    union all

    select 'departed_though_cancelled', call_name from calls where departure_is_cancelled and departure_delay_seconds is not null

    union all

    select 'replaced_though_not_cancelled', call_name from calls where is_replaced and not is_cancelled

    union all

    select 'observed_without_time', call_name
    from calls
    where evidence = 'observed_actual' and not is_cancelled and observed_time is null

    union all

    select 'unknown_word', call_name
    from calls
    where
        coalesce(evidence not in ('unknown', 'forecast', 'observed_actual'), true)
        or coalesce(event not in ('arrival', 'departure'), true)
        or arrival_is_cancelled is null
        or departure_is_cancelled is null
        or is_replaced is null
        or is_added is null

    union all

    select 'time_far_from_day', call_name
    from calls
    where scheduled_time not between getvariable('service_date') - interval 2 days
        and getvariable('service_date') + interval 7 days

    union all

    select 'impossible_delay', call_name
    from calls
    where delay_seconds not between -43200 and 259200

    union all

    select 'planned_without_time', call_name
    from calls
    where not is_added and scheduled_time is null
)

select
    code,
    count(*)::double as rows_broken,
    min(call_name) as example
from broken
group by code
order by code
