-- Counts with what they mean: every share is of the observed, with the Wilson interval of 95 % that the number of
-- observed calls allows. Without an observed call there is no share. Products are of doubles: that of two counts of a
-- year can be more than a bigint holds.
-- from: counted
select
    *,
    cast(observed as double) / nullif(expected, 0) as coverage,
    cast(on_time as double) / nullif(observed, 0) as on_time_share,
    (on_time + 1.9208e0 - 1.96e0 * sqrt(cast(on_time as double) * (observed - on_time) / nullif(observed, 0) + 0.9604e0))
    / (observed + 3.8416e0) as on_time_low,
    (on_time + 1.9208e0 + 1.96e0 * sqrt(cast(on_time as double) * (observed - on_time) / nullif(observed, 0) + 0.9604e0))
    / (observed + 3.8416e0) as on_time_high,
    cast(delay_sum_seconds as double) / nullif(observed, 0) as mean_delay_seconds
from counted
order by 1, 2, 3
