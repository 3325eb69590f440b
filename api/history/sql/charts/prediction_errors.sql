-- Errors of forecasts by the planned time to the arrival: means over all pairs of the days.
-- from: calls
select
    slice,
    forecaster,
    sum(pairs) as pairs,
    round(sum(mean_error_seconds * pairs) / nullif(sum(pairs), 0), 3) as mean_error_seconds,
    round(sum(covered * pairs) / nullif(sum(pairs) filter (where covered is not null), 0), 5) as covered,
    round(sum(mean_width_seconds * pairs) / nullif(sum(pairs) filter (where covered is not null), 0), 3)
        as mean_width_seconds
from calls
group by slice, forecaster
order by try_cast(regexp_extract(slice, '^[0-9]+') as integer), slice, forecaster
