-- Rows of stops whose hours do not add up to their counts.
with

summed as (
    select
        *,
        coalesce(list_sum(list_transform(hours, lambda bar: bar.events::bigint)), 0) as events,
        coalesce(list_sum(list_transform(hours, lambda bar: bar.delay_sum_seconds)), 0) as seconds
    from stop_daily
)

select *
from summed
where events <> observed or seconds <> delay_sum_seconds
