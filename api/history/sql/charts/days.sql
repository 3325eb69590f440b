-- Every day of the period, also those without any data: their counts are 0.
-- from: calls
select
    day,
    coalesce(sum(scheduled), 0) as expected,
    coalesce(sum(observed), 0) as observed,
    coalesce(sum(derived), 0) as derived,
    coalesce(sum(forecasts), 0) as forecasts,
    coalesce(sum(cancelled), 0) as cancelled,
    coalesce(sum(replaced), 0) as replaced,
    coalesce(sum(on_time), 0) as on_time,
    coalesce(sum(early), 0) as early,
    coalesce(sum(late10), 0) as late10,
    coalesce(sum(delay_sum_seconds), 0) as delay_sum_seconds
from @all_days($first_date, $last_date) as days
left join calls on service_date = day
group by day
