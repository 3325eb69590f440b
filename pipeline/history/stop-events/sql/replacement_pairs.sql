-- Cancelled trips and the additional trips that may run in their place: of the same line and direction, and at most 15
-- minutes apart at the first station that both serve. The rule is that of
-- pipeline/realtime/state/link-replacements.ts.
-- rows: numbers of both, from 0, and the seconds between them
with cancelled_trips as (
    select cancelled_calls.trip_key, any_value(runs.line_label) as line_label
    from cancelled_calls
    join runs using (trip_key)
    group by cancelled_calls.trip_key
    having count(*) = any_value(runs.call_count)
), shared as (
    select
        cancelled_calls.trip_key,
        additional_calls.trip_key as additional_key,
        cancelled_calls.position,
        additional_calls.place,
        abs(additional_calls.departure - cancelled_calls.departure) as apart
    from cancelled_trips
    join cancelled_calls using (trip_key)
    join additional_calls
        on additional_calls.line_label = cancelled_trips.line_label
        and additional_calls.station_id = cancelled_calls.station_id
    where additional_calls.trip_key not in (select trip_key from runs)
), first_shared as (
    select *
    from shared
    qualify row_number() over (partition by trip_key, additional_key order by position, place) = 1
)

select
    (dense_rank() over (order by trip_key) - 1)::integer as trip_row,
    (dense_rank() over (order by additional_key) - 1)::integer as additional_row,
    trip_key,
    additional_key,
    apart::integer as apart
from first_shared
where apart <= 900
    -- Both serve a later station as well: else they only cross.
    and exists (
        select 1
        from shared
        where shared.trip_key = first_shared.trip_key
            and shared.additional_key = first_shared.additional_key
            and shared.position > first_shared.position
            and shared.place > first_shared.place
    )
