-- The result of the source's reports per call. The counted event is the arrival, at the first stop the departure. An
-- observed event happened despite any cancellation; a call whose last report cancels it has neither forecast nor delay.
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
            when paired.call_number is not null then planned_calls.position = 0
            else departures.row_count is not null and (place = 1 or arrivals.row_count is null)
        end as is_departure,
        arrivals,
        departures,
        departures.happening as departure_happening,
        arrivals.happening is not null or departures.happening is not null as is_observed,
        case
            when coalesce(arrivals.last_report.report_order, 0::uhugeint) >= coalesce(departures.last_report.report_order, 0::uhugeint)
                then arrivals.last_report
            else departures.last_report
        end as last_report,
        case
            when coalesce(arrivals.announced.report_order, 0::uhugeint) >= coalesce(departures.announced.report_order, 0::uhugeint)
                then arrivals.announced
            else departures.announced
        end as announced,
        coalesce(arrivals.newest, departures.newest) as newest,
        coalesce(arrivals.row_count, 0) + coalesce(departures.row_count, 0) as row_count
    from paired
    left join planned_calls using (call_number)
), judged as (
    select
        * exclude (arrivals, departures),
        case when is_departure then departures.happening else arrivals.happening end as happening,
        case when is_departure then departures.has_forecast else arrivals.has_forecast end as has_forecast,
        case when is_departure then departures.forecast else arrivals.forecast end as forecast_said,
        coalesce(last_report.is_cancelled, false) and not is_observed as is_cancelled
    from counted
), settled as (
    select
        *,
        case when not is_cancelled then forecast_said end as forecast,
        -- The observations that the row is based on; all others of the call are superseded.
        [
            happening.number,
            departure_happening.number,
            case when is_cancelled then last_report.number else forecast_said.number end,
            announced.number,
            case when happening is null and not is_cancelled and forecast_said is null then newest.number end
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
    departure_happening.observed as departed,
    forecast.estimated,
    forecast.last_seen as forecast_seen,
    coalesce(has_forecast, false) and not is_cancelled as has_forecast,
    is_cancelled,
    is_observed and coalesce(last_report.is_cancelled, false) as is_observed_though_cancelled,
    announced.platform,
    -- For planned trips these values come from the timetable.
    case when call_number is null then newest.trip_id end as trip_id,
    case when call_number is null then newest.route_id end as route_id,
    case when call_number is null then nullif(newest.line_label, '') end as line_label,
    case
        when happening is not null then happening.raw_id
        when is_cancelled then last_report.raw_id
        when forecast is not null then forecast.raw_id
        else newest.raw_id
    end as raw_id,
    len(list_distinct(list_filter(deciding, lambda number: number is not null))) as used_count,
    row_count
from settled
