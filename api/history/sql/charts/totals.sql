-- All calls of the period together.
-- from: calls
select
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
from calls
