-- The planned calls of a slice of which an event is cancelled: by the last report on the event, or because the trip ends
-- before it or begins after it. Where a trip ends early, the arrival at its last stop takes place and the departure from
-- there is cancelled; where it begins late, the reverse. What was observed took place. The rules are those of
-- pipeline/snapshots/settle-times.ts, for the reports of one source.
with reported as (
    select
        reported_calls.call_number,
        reported_events.event,
        reported_events.happening is not null as is_observed,
        coalesce(reported_events.last_report.is_cancelled, false) and reported_events.happening is null as is_cancelled,
        reported_events.has_forecast or reported_events.happening is not null as has_time
    from reported_events
    join reported_calls
        on reported_calls.trip_key = reported_events.trip_key
        and reported_calls.position = reported_events.position
        and reported_calls.stop_id = reported_events.stop_id
    where reported_calls.call_number is not null
), trips as (
    select distinct planned_calls.trip_key
    from reported
    join planned_calls on planned_calls.call_number = reported.call_number
    where reported.is_cancelled
), calls as (
    select planned_calls.trip_key, planned_calls.call_number, planned_calls.position, runs.call_count
    from planned_calls
    join trips on trips.trip_key = planned_calls.trip_key
    join runs on runs.trip_key = planned_calls.trip_key
), events as (
    -- In travel order: 0 is the departure at the first call, 1 the arrival at the next one, 2 the departure there.
    select trip_key, call_number, 'departure' as event, 2 * position as place from calls where position < call_count - 1
    union all
    select trip_key, call_number, 'arrival' as event, 2 * position - 1 as place from calls where position > 0
), stated as (
    select
        events.*,
        coalesce(reported.is_observed, false) as is_observed,
        coalesce(reported.is_cancelled, false) as is_cancelled,
        coalesce(reported.has_time and not reported.is_cancelled, false) as is_expected
    from events
    left join reported on reported.call_number = events.call_number and reported.event = events.event
), spans as (
    select
        trip_key,
        -- Of a trip without a reported time nothing more is cancelled here.
        coalesce(min(place) filter (is_expected), -1) as begins_with,
        coalesce(max(place) filter (is_expected), max(place)) as ends_after,
        list(place) filter (is_cancelled) as cancelled_places
    from stated
    group by trip_key
), ended as (
    -- A cancelled departure from the last stop with a reported time ends the trip, and a cancelled arrival at the first
    -- such stop begins it.
    select
        stated.* replace (
            stated.is_cancelled
            or (place > ends_after and ends_after % 2 = 1 and list_contains(cancelled_places, ends_after + 1))
            or (place < begins_with and begins_with % 2 = 0 and list_contains(cancelled_places, begins_with - 1))
            as is_cancelled
        )
    from stated
    join spans on spans.trip_key = stated.trip_key
), served as (
    select
        trip_key,
        coalesce(max(place) filter (event = 'arrival' and not is_cancelled), 0) as last_arrival,
        coalesce(min(place) filter (event = 'departure' and not is_cancelled), max(place)) as first_departure
    from ended
    group by trip_key
), settled as (
    select
        ended.call_number,
        ended.event,
        ended.is_cancelled
        or (
            not ended.is_observed
            and case
                when ended.event = 'departure' then ended.place > served.last_arrival
                else ended.place < served.first_departure
            end
        ) as is_cancelled
    from ended
    join served on served.trip_key = ended.trip_key
)

select
    call_number,
    coalesce(bool_or(is_cancelled) filter (event = 'arrival'), false) as arrival_is_cancelled,
    coalesce(bool_or(is_cancelled) filter (event = 'departure'), false) as departure_is_cancelled,
    -- The arrival is cancelled and the departure is not: the trip begins here.
    arrival_is_cancelled and coalesce(bool_or(not is_cancelled) filter (event = 'departure'), false) as is_beginning
from settled
group by call_number
having bool_or(is_cancelled)
