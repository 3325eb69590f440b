-- Each call that the source speaks of, and the planned call that it is, by number; null for one in no timetable. It is
-- named by its position and stop. Where another version of the timetable was in use when it was said, the position may
-- be another, also that of another visit of the same stop: then stop and planned moment identify the call, as long as
-- they fit one call alone.
with spoken_of as (
    select
        trip_key,
        position,
        stop_id,
        max(scheduled) filter (event = 'arrival') as arrival,
        max(scheduled) filter (event = 'departure') as departure
    from reported_events
    group by all
), other_visits as (
    -- Calls whose planned moments are those of another visit of their stop, and not those at their position.
    select distinct spoken_of.trip_key, spoken_of.position, spoken_of.stop_id
    from spoken_of
    join planned_calls as there
        on there.trip_key = spoken_of.trip_key
        and there.position = spoken_of.position
        and there.stop_id = spoken_of.stop_id
    join planned_calls as elsewhere
        on elsewhere.trip_key = spoken_of.trip_key and elsewhere.stop_id = spoken_of.stop_id
    where (elsewhere.arrival = spoken_of.arrival or elsewhere.departure = spoken_of.departure)
        and not coalesce(there.arrival = spoken_of.arrival, false)
        and not coalesce(there.departure = spoken_of.departure, false)
), by_position as (
    select spoken_of.*, planned_calls.call_number
    from spoken_of
    left join other_visits
        on other_visits.trip_key = spoken_of.trip_key
        and other_visits.position = spoken_of.position
        and other_visits.stop_id = spoken_of.stop_id
    left join planned_calls
        -- As part of a key: beside the keys the engine would compare every call with every other.
        on planned_calls.trip_key = case when other_visits.trip_key is null then spoken_of.trip_key end
        and planned_calls.position = spoken_of.position
        and planned_calls.stop_id = spoken_of.stop_id
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
