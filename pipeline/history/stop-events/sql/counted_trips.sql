-- The dated trips whose calls a source's day holds: those of its timetables, each under the trip that is shown for it.
with shown as (
    select distinct trip_row, shown_row from hidden_calls
)

select distinct coalesce(shown_trips.trip_key, trips.trip_key) as trip_key
from compared_trips as trips
join day_feeds on day_feeds.feed_number = trips.feed_number and day_feeds.is_bound
left join shown on shown.trip_row = trips.trip_row
left join compared_trips as shown_trips on shown_trips.trip_row = shown.shown_row
