-- The last valid forecast of each event: reported before the time that it predicts, and before the event happened.
select
    reported_rows.trip_key,
    reported_rows.position,
    reported_rows.stop_id,
    reported_rows.event,
    arg_max({
        'estimated': estimated,
        'last_seen': last_seen,
        'raw_id': reported_rows.raw_id,
        'number': observation_number
    }, report_order) as forecast
from reported_rows
left join reported_events
    on reported_events.trip_key = reported_rows.trip_key
    and reported_events.position = reported_rows.position
    and reported_events.stop_id = reported_rows.stop_id
    and reported_events.event = reported_rows.event
where refusal is null
    and evidence = 'forecast'
    and reported_rows.first_seen <= estimated
    and (reported_events.happening is null or reported_rows.first_seen <= reported_events.happening.observed)
group by all
