-- The observations of the day; one of a trip that is hidden behind another is of that trip and its call.
select
    stored_observations.* replace (
        coalesce(merged_calls.shown_trip_key, stored_observations.trip_key) as trip_key,
        coalesce(merged_calls.shown_position, stored_observations.position) as position,
        case when merged_calls.trip_key is null then stored_observations.stop_id else merged_calls.shown_stop_id end
            as stop_id
    )
from stored_observations
left join merged_calls
    on merged_calls.trip_key = stored_observations.trip_key
    and merged_calls.position = stored_observations.position
    and merged_calls.stop_id = stored_observations.stop_id
