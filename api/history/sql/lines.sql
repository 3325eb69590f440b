-- Counts of each line, which is a label, a product and an operator. Lines without an observation are left out.
-- values: source, line and operator (null: any), first_date, last_date, on_time_max, late_min,
-- early_min
with

days as (
    select *
    from marts.line_daily
    where
        source = $source
        and ($line is null or line = $line)
        and ($operator is null or operator = $operator)
        and service_date between cast($first_date as date) and cast($last_date as date)
        -- of one definition among several
        and on_time_max_delay_seconds = $on_time_max
        and late_min_delay_seconds = $late_min
        and early_min_seconds = $early_min
        and evidence = 'observed_actual'
        -- of any
        and observed > 0
)

select
    line,
    product,
    operator,
    cast(sum(observed) as double) as observed,
    cast(sum(on_time) as double) as on_time,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from days
group by line, product, operator
order by line, product, operator
