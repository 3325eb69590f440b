-- Connections of a month by the share missed, the worst first: at most 1,000, and only those observed 20 times or more,
-- because one missed of two means nothing. connections_daily.sql defines a connection.
-- from: connections_daily, the rows of whole months
with

sums as (
    select
        cast(date_trunc('month', service_date) as date) as month_start,
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
    group by 1, 2, 3, 4, 6, 7, 8
),

ranked as (
    select
        *,
        cast(missed as double) / observed as missed_share,
        row_number() over (
            partition by month_start, source
            order by cast(missed as double) / observed desc, observed desc, feed_source, station_id, from_line, to_line, rules_version
        ) as rank
    from sums
    where observed >= 20
)

select *
from ranked
where missed > 0 and rank <= 1000
