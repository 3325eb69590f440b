-- Places with `placeholder_rows` rows or more, all of which hold only the value that may mean unknown.
select place_id
from staged_rows
where place_id is not null
group by place_id
having
    count(*) filter (arrival_is_reported or departure_is_reported) >= getvariable('placeholder_rows')
    and bool_and(arrival_is_doubtful_at_placeholder_place or not arrival_is_reported)
    and bool_and(departure_is_doubtful_at_placeholder_place or not departure_is_reported)
