-- Punctuality from the lake, by any DuckDB: duckdb -init data/lake/catalog.sql < examples/analysts/punctuality.sql
-- Each share comes with its denominator. `counted_calls` has each scheduled call once, whatever number of sources report it.

-- How much was observed, and how punctual it was, by day
select
  service_date,
  count(*) as scheduled_calls,
  count(*) filter (where evidence = 'observed_actual') as observed_calls,
  round(100.0 * count(*) filter (where evidence = 'observed_actual' and delay_seconds < 330)
    / nullif(count(*) filter (where evidence = 'observed_actual'), 0), 1) as on_time_percent
from counted_calls
group by all
order by service_date desc
limit 14;

-- The least punctual lines with at least 200 observed calls
select
  line_label,
  count(*) as observed_calls,
  round(median(delay_seconds)) as median_delay_seconds,
  round(quantile_cont(delay_seconds, 0.9)) as p90_delay_seconds
from counted_calls
where evidence = 'observed_actual'
group by line_label
having count(*) >= 200
order by p90_delay_seconds desc
limit 10;

-- When delays arise: by hour of the scheduled time, in Austrian time
select
  hour(timezone('Europe/Vienna', scheduled_time)) as hour_of_day,
  count(*) as observed_calls,
  round(avg(delay_seconds)) as mean_delay_seconds
from counted_calls
where evidence = 'observed_actual'
group by all
order by hour_of_day;
