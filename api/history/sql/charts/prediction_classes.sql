-- Forecasts by confidence, and how many of each class were off by at most 60, 120 and 180 seconds.
-- from: calls
select
    confidence,
    coalesce(sum(pairs), 0) as pairs,
    round(sum(covered * pairs) / nullif(sum(pairs), 0), 5) as covered,
    round(sum(within_60 * pairs) / nullif(sum(pairs), 0), 5) as within_60,
    round(sum(within_120 * pairs) / nullif(sum(pairs), 0), 5) as within_120,
    round(sum(within_180 * pairs) / nullif(sum(pairs), 0), 5) as within_180
from calls
group by confidence
order by confidence
