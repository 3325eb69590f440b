-- Changes that were looked at: measured, or why not.
-- from: calls
select
    status,
    sum(pairs) as pairs,
    round(sum(squared_error_sum) / sum(pairs), 5) as brier_score
from calls
group by status
order by status
