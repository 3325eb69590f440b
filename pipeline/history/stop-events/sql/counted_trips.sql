-- The dated trips of the day whose calls a source has: those of its timetables, each under the trip that is shown for it,
-- which may be of another service date.
with shown as (
    select distinct trip_row, shown_row from hidden_calls
)

select distinct coalesce(shown_trips.trip_key, trips.trip_key) as trip_key
from compared_trips as trips
join day_feeds on day_feeds.feed_number = trips.feed_number and day_feeds.is_bound
left join shown on shown.trip_row = trips.trip_row
left join compared_trips as shown_trips on shown_trips.trip_row = shown.shown_row
where coalesce(shown_trips.day_offset, trips.day_offset) = 0
