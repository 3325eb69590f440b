-- Every line with scheduled calls: a label, a product and an operator.
-- from: calls
select
    line,
    product,
    operator,
    sum(scheduled) as expected,
    sum(observed) as observed,
    sum(derived) as derived,
    sum(forecasts) as forecasts,
    sum(cancelled) as cancelled,
    sum(replaced) as replaced,
    sum(on_time) as on_time,
    sum(early) as early,
    sum(late10) as late10,
    sum(delay_sum_seconds) as delay_sum_seconds
from calls
group by line, product, operator
