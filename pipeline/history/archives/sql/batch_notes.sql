-- Rows of a day (table day_calls) that are kept with a value removed or repaired, by kind.
select
    count(*) filter (if(event = 'arrival', arrival_is_unknown, departure_is_unknown))::double as unknown_by_rule,
    count(*) filter (arrival_is_impossible or departure_is_impossible)::double as impossible_delay,
    count(*) filter (arrival_reported_is_bad or departure_reported_is_bad)::double as unreadable_value,
    count(*) filter (is_day_late)::double as day_repaired
from day_calls
