-- The calls of hidden trips of the day, and what they are in the trip that is shown where that is of the same date.
select
    hidden.trip_key,
    hidden_calls.call_position as position,
    hidden_plan.stop_id,
    shown.trip_key as shown_trip_key,
    hidden_calls.shown_position,
    shown_plan.stop_id as shown_stop_id
from hidden_calls
join compared_trips as hidden on hidden.trip_row = hidden_calls.trip_row
join compared_trips as shown on shown.trip_row = hidden_calls.shown_row
join planned_calls as hidden_plan
    on hidden_plan.trip_key = hidden.trip_key
    and hidden_plan.day_offset = hidden.day_offset
    and hidden_plan.position = hidden_calls.call_position
join planned_calls as shown_plan
    on shown_plan.trip_key = shown.trip_key
    and shown_plan.day_offset = shown.day_offset
    and shown_plan.position = hidden_calls.shown_position
where hidden.day_offset = 0 and shown.day_offset = 0
