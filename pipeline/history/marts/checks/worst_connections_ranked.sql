-- Months whose worst connections are not in order, or have a share that differs from their counts.
with

followed as (
    select *, lead(missed_share) over (partition by month_start, source order by rank) as next_share
    from worst_connections
)

select *
from followed
where missed_share <> missed / observed or missed > observed or observed > planned or next_share > missed_share
