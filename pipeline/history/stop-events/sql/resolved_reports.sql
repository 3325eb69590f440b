-- The result of the source's reports per call. The counted event is the arrival, at the first stop the departure, also
-- where the trip begins late. An observed event happened despite any cancellation; a cancelled one has neither forecast
-- nor delay.
with arrivals as (
    select reported_events.*, reported_forecasts.forecast
    from reported_events
    left join reported_forecasts using (trip_key, position, stop_id, event)
    where event = 'arrival'
), departures as (
    select reported_events.*, reported_forecasts.forecast
    from reported_events
    left join reported_forecasts using (trip_key, position, stop_id, event)
    where event = 'departure'
), paired as (
    select
        reported_calls.*,
        arrivals,
        departures,
        row_number() over (
            partition by reported_calls.trip_key, reported_calls.call_number is null
            order by reported_calls.position, reported_calls.stop_id
        ) as place
    from reported_calls
    left join arrivals using (trip_key, position, stop_id)
    left join departures using (trip_key, position, stop_id)
), paired_events as (
    -- Reports of calls in no timetable stand alone; what follows for planned calls is worked out for whole trips.
    select
        paired.*,
        case
            when call_number is null then arrivals.happening is null and coalesce(arrivals.last_report.is_cancelled, false)
            else coalesce(cancelled_events.arrival_is_cancelled, false)
        end as arrival_is_cancelled,
        case
            when call_number is null
                then departures.happening is null and coalesce(departures.last_report.is_cancelled, false)
            else coalesce(cancelled_events.departure_is_cancelled, false)
        end as departure_is_cancelled,
        case
            when call_number is null
                then arrival_is_cancelled and departures.row_count is not null and not departure_is_cancelled
            else coalesce(cancelled_events.is_beginning, false)
        end as is_beginning
    from paired
    left join cancelled_events using (call_number)
), counted as (
    select
        paired.trip_key,
        paired.position,
        paired.stop_id,
        paired.call_number,
        paired.is_moved,
        paired.place,
        arrivals.scheduled as arrival,
        departures.scheduled as departure,
        case
            when is_beginning then true
            when paired.call_number is not null then planned_calls.position = 0
            else departures.row_count is not null and (place = 1 or arrivals.row_count is null)
        end as is_departure,
        arrivals,
        departures,
        departures.happening as departure_happening,
        paired.arrival_is_cancelled,
        paired.departure_is_cancelled,
        case when arrival_is_cancelled and arrivals.last_report.is_cancelled then arrivals.last_report end
            as arrival_cancellation,
        case when departure_is_cancelled and departures.last_report.is_cancelled then departures.last_report end
            as departure_cancellation,
        coalesce(arrivals.happening is not null and arrivals.last_report.is_cancelled, false)
        or coalesce(departures.happening is not null and departures.last_report.is_cancelled, false)
            as is_observed_though_cancelled,
        case
            when coalesce(arrivals.announced.report_order, 0::uhugeint) >= coalesce(departures.announced.report_order, 0::uhugeint)
                then arrivals.announced
            else departures.announced
        end as announced,
        case when not paired.departure_is_cancelled then departures.filled end as filled,
        coalesce(arrivals.newest, departures.newest) as newest,
        coalesce(arrivals.row_count, 0) + coalesce(departures.row_count, 0) as row_count
    from paired_events as paired
    left join planned_calls using (call_number)
), judged as (
    select
        * exclude (arrivals, departures),
        case when is_departure then departures.happening else arrivals.happening end as happening,
        case when is_departure then departures.has_forecast else arrivals.has_forecast end as has_forecast,
        case when is_departure then departures.forecast else arrivals.forecast end as forecast_said,
        case when is_departure then departure_is_cancelled else arrival_is_cancelled end as is_cancelled,
        case
            when is_departure then coalesce(departure_cancellation, arrival_cancellation)
            else coalesce(arrival_cancellation, departure_cancellation)
        end as cancellation
    from counted
), settled as (
    select
        *,
        case when not is_cancelled then forecast_said end as forecast,
        -- The observations that the row is based on; all others of the call are superseded.
        [
            happening.number,
            departure_happening.number,
            arrival_cancellation.number,
            departure_cancellation.number,
            case when not is_cancelled then forecast_said.number end,
            announced.number,
            filled.number,
            case
                when happening is null and case when is_cancelled then cancellation is null else forecast_said is null end
                    then newest.number
            end
        ] as deciding
    from judged
)

select
    trip_key,
    position,
    stop_id,
    call_number,
    is_moved,
    place,
    arrival,
    departure,
    is_departure,
    happening.observed,
    happening.uncertainty as uncertainty_seconds,
    departure_happening.observed as departed,
    forecast.estimated,
    forecast.last_seen as forecast_seen,
    coalesce(has_forecast, false) and not is_cancelled as has_forecast,
    arrival_is_cancelled,
    departure_is_cancelled,
    is_observed_though_cancelled,
    announced.platform,
    filled.occupancy,
    -- For planned trips these values come from the timetable.
    case when call_number is null then newest.trip_id end as trip_id,
    case when call_number is null then newest.route_id end as route_id,
    case when call_number is null then nullif(newest.line_label, '') end as line_label,
    case
        when happening is not null then happening.raw_id
        when is_cancelled and cancellation is not null then cancellation.raw_id
        when forecast is not null then forecast.raw_id
        else newest.raw_id
    end as raw_id,
    len(list_distinct(list_filter(deciding, lambda number: number is not null))) as used_count,
    row_count
from settled
