-- Rows of the cube whose histogram counts other events than they do, or is out of order.
with

summed as (
    select
        *,
        coalesce(list_sum(list_transform(delay_histogram, lambda bar: bar.events::bigint)), 0) as events,
        list_transform(delay_histogram, lambda bar: bar.delay_minutes) as minutes
    from punctuality_cube
)

select *
from summed
where events <> observed or minutes <> list_sort(minutes) or len(minutes) <> len(list_distinct(minutes))
