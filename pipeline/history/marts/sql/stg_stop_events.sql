-- The planned calls of one day, of all sources, with only the columns that the marts need. Added calls were in no
-- timetable and do not count; a cancelled event did not happen, whatever else was reported. Local times are scheduled.
-- from: day_stop_events, stop events of the day with their source, the rank of their evidence, and is_cancelled of the
-- counted event
with

planned as (
    select *
    from day_stop_events
    where not is_added
)

select
    source,
    service_date,
    coalesce(feed_source, '') as feed_source,
    trip_id,
    position,
    coalesce(line_label, '') as line,
    coalesce(direction, '') as direction,
    coalesce(trip_number, '') as trip_number,
    coalesce(product, '') as product,
    coalesce(operator, '') as operator,
    stop_id,
    stop_name,
    coalesce(station_id, stop_id) as station_id,
    event,
    scheduled_time,
    scheduled_departure_time,
    @local_time(scheduled_time, utc_offset_minutes) as local_time,
    is_cancelled,
    departure_is_cancelled,
    is_replaced,
    is_counted,
    evidence_rank,
    case when not is_cancelled then delay_seconds end as delay_seconds,
    case when not is_cancelled then forecast_delay_seconds end as forecast_delay_seconds,
    uncertainty_seconds is not null as is_derived,
    is_final_forecast,
    case when not departure_is_cancelled then departure_delay_seconds end as departure_delay_seconds
from planned
