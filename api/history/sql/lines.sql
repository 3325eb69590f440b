-- Counts of each line, which is a label, a product and an operator. Lines without an observation are left out.
-- files: line_daily; values: source, line and operator (null: any), first_date, last_date, on_time_max, late_min,
-- early_min
with

days as (
    select *
    from read_parquet($files, hive_partitioning = false)
    where
        source = $source
        and ($line is null or line = $line)
        and ($operator is null or operator = $operator)
        and service_date between $first_date::date and $last_date::date
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
    sum(observed)::double as observed,
    sum(on_time)::double as on_time,
    sum(delay_sum_seconds)::double as delay_sum_seconds
from days
group by line, product, operator
order by line, product, operator
