-- Rows of a day (table day_calls) that are kept with something taken away or put right, by what it is.
select
    count(*) filter (if(event = 'arrival', arrival_says_nothing, departure_says_nothing))::double as unknown_by_rule,
    count(*) filter (arrival_is_impossible or departure_is_impossible)::double as impossible_delay,
    count(*) filter (arrival_told_is_bad or departure_told_is_bad)::double as unreadable_value,
    count(*) filter (is_day_late)::double as day_repaired
from day_calls
