-- Rows of each day of a batch (table new_stop_events), and those kept with a value removed or repaired, by kind.
select
    service_date::varchar as service_date,
    count(*)::double as kept,
    count(*) filter (is_unknown_by_rule)::double as unknown_by_rule,
    count(*) filter (has_impossible_delay)::double as impossible_delay,
    count(*) filter (has_unreadable_value)::double as unreadable_value,
    count(*) filter (is_day_late)::double as day_repaired
from new_stop_events
group by service_date
