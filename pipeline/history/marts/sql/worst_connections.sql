-- Connections of a month by the share missed, the worst first: at most 1,000, and only those observed 20 times or more,
-- because one missed of two means nothing. connections_daily.sql defines a connection.
-- from: connections_daily, the rows of one month; variable month, its first day
with

sums as (
    select
        source,
        feed_source,
        station_id,
        min(station_name) as station_name,
        from_line,
        to_line,
        rules_version,
        sum(planned) as planned,
        sum(observed) as observed,
        sum(missed) as missed,
        sum(cancelled) as cancelled
    from connections_daily
    group by all
),

ranked as (
    select
        *,
        missed / observed as missed_share,
        row_number() over (
            partition by source
            order by missed / observed desc, observed desc, feed_source, station_id, from_line, to_line, rules_version
        ) as rank
    from sums
    where observed >= 20
)

select
    getvariable('month')::date as month_start,
    *
from ranked
where missed > 0 and rank <= 1000
