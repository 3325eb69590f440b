-- Places at which the archive tells, in `mute_rows` rows or more, nothing but the value that may mean unknown.
select mute_place
from staged_rows
where mute_place is not null
group by mute_place
having
    count(*) filter (arrival_is_told or departure_is_told) >= getvariable('mute_rows')
    and bool_and(arrival_is_doubtful_if_mute or not arrival_is_told)
    and bool_and(departure_is_doubtful_if_mute or not departure_is_told)
