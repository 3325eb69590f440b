-- Calls of a generated country by kind of day (0 working day, 1 Saturday, 2 Sunday): 1,500 lines, nearly a third of them
-- in towns, a tenth rail, and 8,000 stations of about three stops. Nearby lines share stations.
create macro uniform(a, b) as (hash(a, b) >> 11)::double / 9007199254740992;

create table base_calls as
with

kinds as (
    select line, case when line % 10 < 3 then 'city' when line % 10 < 9 then 'regional' else 'rail' end as kind
    from range(1500) as numbers(line)
),

lines as (
    select
        line,
        case kind when 'city' then 'cityBus' when 'regional' then 'regionalBus' else 'regionalTrain' end as product,
        case kind when 'city' then 25 when 'regional' then 20 else 12 end + (hash(line, 1) % 9)::int - 4 as stops,
        -- Few lines run often, many rarely.
        greatest(
            1,
            round(
                case kind when 'city' then 14 when 'regional' then 4 else 12 end
                * (0.33 - 0.60 * ln(1 - uniform(line, 2)))
            )
        )::int as trips,
        (hash(line, 3) % 8000)::int as first_station,
        case kind when 'rail' then 7 else 1 + (hash(line, 4) % 3)::int end as step,
        case kind when 'city' then 95 when 'regional' then 120 else 330 end as ride_seconds
    from kinds
),

trips as (
    select
        lines.*,
        direction,
        day_kind,
        format(
            '{}.T{}.26-{}-j26-1.{}.{}',
            run + 1 + 400 * direction, day_kind, line, 1 + line % 7, case direction when 0 then 'H' else 'R' end
        ) as trip_id,
        -- From 05:00 to after midnight, in whole minutes.
        60 * (300 + (1180.0 * (run + uniform(line * 31 + day_kind, run * 2 + direction)) / trips)::int) as start_seconds
    from lines
    cross join range(2) as directions(direction)
    cross join range(3) as day_kinds(day_kind)
    cross join lateral (select unnest(range(lines.trips)) as run) as runs
)

select
    day_kind,
    line,
    direction,
    trip_id,
    (hash(trip_id, 'bench') >> 1)::bigint as trip_key,
    product,
    position::integer as position,
    stops,
    (first_station + step * case direction when 0 then position else stops - 1 - position end) % 8000 as station,
    start_seconds + 60 * ((position * ride_seconds + (hash(line, position, 5) % 60)) // 60)::int as arrival_seconds
from trips
cross join lateral (select unnest(range(trips.stops)) as position) as positions;
