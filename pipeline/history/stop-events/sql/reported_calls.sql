-- Each reported call with the number of its planned call; null for one in no timetable. Position and stop identify the
-- call. When the source used another version of the timetable, the position may differ, even be that of another visit
-- of the same stop: then stop and planned time identify the call, as long as they match one call only.
with reported as (
    select
        trip_key,
        position,
        stop_id,
        max(scheduled) filter (event = 'arrival') as arrival,
        max(scheduled) filter (event = 'departure') as departure
    from reported_events
    group by all
), other_visits as (
    -- Calls whose planned times are those of another visit of their stop, and not those at their position.
    select distinct reported.trip_key, reported.position, reported.stop_id
    from reported
    join planned_calls as there
        on there.trip_key = reported.trip_key
        and there.position = reported.position
        and there.stop_id = reported.stop_id
    join planned_calls as elsewhere
        on elsewhere.trip_key = reported.trip_key and elsewhere.stop_id = reported.stop_id
    where (elsewhere.arrival = reported.arrival or elsewhere.departure = reported.departure)
        and not coalesce(there.arrival = reported.arrival, false)
        and not coalesce(there.departure = reported.departure, false)
), by_position as (
    select reported.*, planned_calls.call_number
    from reported
    left join other_visits
        on other_visits.trip_key = reported.trip_key
        and other_visits.position = reported.position
        and other_visits.stop_id = reported.stop_id
    left join planned_calls
        -- Within a join key: as a separate condition it would make the engine compare every call with every other.
        on planned_calls.trip_key = case when other_visits.trip_key is null then reported.trip_key end
        and planned_calls.position = reported.position
        and planned_calls.stop_id = reported.stop_id
), by_moment as (
    select
        by_position.trip_key,
        by_position.position,
        by_position.stop_id,
        min(planned_calls.call_number) as call_number,
        count(*) as candidates
    from by_position
    join planned_calls
        on planned_calls.trip_key = by_position.trip_key and planned_calls.stop_id = by_position.stop_id
    where by_position.call_number is null
        and (planned_calls.arrival = by_position.arrival or planned_calls.departure = by_position.departure)
        and planned_calls.call_number not in (select call_number from by_position where call_number is not null)
    group by all
), moved as (
    select *
    from by_moment
    where candidates = 1
    qualify count(*) over (partition by call_number) = 1
)

select
    by_position.trip_key,
    by_position.position,
    by_position.stop_id,
    coalesce(by_position.call_number, moved.call_number) as call_number,
    moved.call_number is not null as is_moved
from by_position
left join moved
    on moved.trip_key = by_position.trip_key
    and moved.position = by_position.position
    and moved.stop_id = by_position.stop_id
