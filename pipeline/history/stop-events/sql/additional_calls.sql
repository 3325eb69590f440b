-- The calls that the source added and that took place, with their stations and times: as scheduled, else as observed or
-- estimated. Those of a planned trip are calls that the publisher reports in place of planned ones.
with only_stops as (
    select stop_id, any_value(station_id) as station_id
    from day_stops
    group by stop_id
    having count(*) = 1
)

select
    resolved_reports.trip_key,
    resolved_reports.line_label,
    resolved_reports.place,
    only_stops.station_id,
    coalesce(arrival, departure, observed, estimated) as arrival,
    coalesce(departure, arrival, observed, estimated) as departure
from resolved_reports
join only_stops using (stop_id)
where call_number is null
    and not case when is_departure then departure_is_cancelled else arrival_is_cancelled end
    and coalesce(arrival, departure, observed, estimated) is not null
