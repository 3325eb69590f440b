-- Counts of each line with observed calls; a line is a label, a product and an operator.
-- from: calls
select
    line,
    product,
    operator,
    cast(sum(observed) as double) as observed,
    cast(sum(on_time) as double) as on_time,
    cast(sum(delay_sum_seconds) as double) as delay_sum_seconds
from calls
where observed > 0
group by line, product, operator
order by line, product, operator
