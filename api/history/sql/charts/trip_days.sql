-- Trips with a number, day by day; the delay of a trip is that at the last stop where it was observed.
-- from: calls
select
    service_date as day,
    operator,
    product,
    line,
    first_stop_name,
    last_stop_name,
    first_departure_minutes,
    scheduled,
    observed,
    cancelled,
    final_delay_seconds
from calls
order by day, operator, scheduled desc, observed desc, feed_source, trip_id
