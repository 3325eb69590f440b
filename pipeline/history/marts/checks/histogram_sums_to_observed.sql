-- Rows of the cube whose histogram does not add up to `observed`, or is not sorted.
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
