-- The reports of a source for each event of each call, ordered by report time. The last report of an observed event
-- counts, except for vehicle positions at the stop: there the first one is the arrival, and the last one the departure.
-- A time that is derived from positions beside the stop counts where there is no other.
select
    trip_key,
    position,
    stop_id,
    event,
    count(*) as row_count,
    arg_max({
        'trip_id': trip_id, 'route_id': route_id, 'line_label': line_label, 'raw_id': raw_id,
        'number': observation_number
    }, report_order) as newest,
    arg_max(scheduled, report_order) filter (scheduled is not null) as scheduled,
    arg_max({'is_cancelled': is_cancelled, 'raw_id': raw_id, 'number': observation_number, 'report_order': report_order},
        report_order) filter (channel = 'stop_events') as last_report,
    coalesce(
        arg_max({'observed': observed, 'raw_id': raw_id, 'number': observation_number, 'uncertainty': uncertainty_seconds},
            report_order) filter (evidence = 'observed_actual' and channel = 'stop_events'),
        case
            when event = 'arrival'
                then arg_min({'observed': observed, 'raw_id': raw_id, 'number': observation_number,
                    'uncertainty': uncertainty_seconds}, (observed::uhugeint << 64) | (report_order >> 64))
                    filter (evidence = 'observed_actual' and uncertainty_seconds is null)
            else arg_max({'observed': observed, 'raw_id': raw_id, 'number': observation_number,
                'uncertainty': uncertainty_seconds}, (observed::uhugeint << 64) | (report_order >> 64))
                filter (evidence = 'observed_actual' and uncertainty_seconds is null)
        end,
        arg_min({'observed': observed, 'raw_id': raw_id, 'number': observation_number, 'uncertainty': uncertainty_seconds},
            report_order) filter (evidence = 'observed_actual')
    ) as happening,
    arg_max({'platform': platform, 'number': observation_number, 'report_order': report_order}, report_order)
        filter (platform is not null) as announced,
    bool_or(evidence = 'forecast') as has_forecast,
    -- The occupancy that a vehicle reported itself ranks before one that was forecast for the call.
    coalesce(
        arg_max({'occupancy': occupancy, 'number': observation_number}, report_order)
            filter (occupancy is not null and channel = 'positions'),
        arg_max({'occupancy': occupancy, 'number': observation_number}, report_order) filter (occupancy is not null)
    ) as filled
from reported_rows
where refusal is null
group by trip_key, position, stop_id, event
