-- Errors of forecasts by day; a day without metrics has no forecaster.
-- from: calls
select
    day,
    forecaster,
    coalesce(sum(pairs), 0) as pairs,
    round(sum(mean_error_seconds * pairs) / nullif(sum(pairs), 0), 3) as mean_error_seconds
from @all_days($first_date, $last_date) as days
left join calls on service_date = day and slice = 'all'
group by day, forecaster
order by day, forecaster
