-- The last forecast of each event that was one: said before the moment it names, and before the event happened.
select
    heard_rows.trip_key,
    heard_rows.position,
    heard_rows.stop_id,
    heard_rows.event,
    arg_max({
        'estimated': estimated,
        'last_seen': last_seen,
        'raw_id': heard_rows.raw_id,
        'number': observation_number
    }, said_order) as forecast
from heard_rows
left join heard_events
    on heard_events.trip_key = heard_rows.trip_key
    and heard_events.position = heard_rows.position
    and heard_events.stop_id = heard_rows.stop_id
    and heard_events.event = heard_rows.event
where refusal is null
    and evidence = 'forecast'
    and heard_rows.first_seen <= estimated
    and (heard_events.happening is null or heard_rows.first_seen <= heard_events.happening.observed)
group by all
