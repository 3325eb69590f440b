-- The cancelled calls that are replaced: a call of the trip that replaces theirs takes place at the same station, at most
-- 15 minutes apart. That is a linked additional trip, or the trip itself with the calls that its publisher reports instead.
with replacements as (
    select trip_key, additional_key from replacement_pairs semi join linked_pairs using (trip_row, additional_row)
    union
    select trip_key, trip_key as additional_key from additional_calls semi join runs using (trip_key)
)

select distinct cancelled_calls.call_number
from replacements
join cancelled_calls using (trip_key)
join additional_calls
    on additional_calls.trip_key = replacements.additional_key
    and additional_calls.station_id = cancelled_calls.station_id
where abs(
    case when is_departure then additional_calls.departure else additional_calls.arrival end - cancelled_calls.scheduled
) <= 900
