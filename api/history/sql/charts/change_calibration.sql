-- Changes by the tenth of their forecast probability to be held, and how many were; with the Wilson interval of 95 %.
-- Products are of doubles: that of two counts can be more than a bigint holds.
-- from: calls
select
    bin,
    sum(pairs) as pairs,
    sum(held) as held,
    round(sum(probability_sum) / sum(pairs), 5) as mean_probability,
    cast(sum(held) as double) / sum(pairs) as held_share,
    (sum(held) + 1.9208e0 - 1.96e0 * sqrt(cast(sum(held) as double) * (sum(pairs) - sum(held)) / sum(pairs) + 0.9604e0))
    / (sum(pairs) + 3.8416e0) as held_low,
    (sum(held) + 1.9208e0 + 1.96e0 * sqrt(cast(sum(held) as double) * (sum(pairs) - sum(held)) / sum(pairs) + 0.9604e0))
    / (sum(pairs) + 3.8416e0) as held_high
from calls
where status = 'measured'
group by bin
order by bin
