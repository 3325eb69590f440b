-- Counts with what they mean: every share is of the observed, with the Wilson interval of 95 % that the number of
-- observed calls allows. Without an observed call there is no share.
-- from: counted
select
    *,
    observed / nullif(expected, 0) as coverage,
    on_time / nullif(observed, 0) as on_time_share,
    (on_time + 1.9208 - 1.96 * sqrt(on_time * (observed - on_time) / nullif(observed, 0) + 0.9604))
    / (observed + 3.8416) as on_time_low,
    (on_time + 1.9208 + 1.96 * sqrt(on_time * (observed - on_time) / nullif(observed, 0) + 0.9604))
    / (observed + 3.8416) as on_time_high,
    delay_sum_seconds / nullif(observed, 0) as mean_delay_seconds
from counted
order by all
