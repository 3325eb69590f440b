-- Forecasts of a table of past changes for each pair of the test: the median, p10 and p90 of the change of delay
-- between the two calls, by train and band of current delay; with fewer than five days, by train; then by route; then
-- by steps and band. And the historical median: the usual delay of the train at that stop. Reads `pair_rows` and
-- `test_days`; tables are built from the days before the test alone.
with past as (
  select * from pair_rows where service_day < (select first_day from test_days)
),
by_train_and_band as (
  select train, from_stop, to_stop, delay_band, count(*) as times, median(change) as middle,
    quantile_disc(change, 0.1) as low, quantile_disc(change, 0.9) as high
  from past group by all having count(*) >= 5
),
by_train as (
  select train, from_stop, to_stop, median(change) as middle,
    quantile_disc(change, 0.1) as low, quantile_disc(change, 0.9) as high
  from past group by all having count(*) >= 5
),
by_route as (
  select route, from_stop, to_stop, median(change) as middle,
    quantile_disc(change, 0.1) as low, quantile_disc(change, 0.9) as high
  from past group by all having count(*) >= 5
),
by_steps as (
  select steps, delay_band, median(change) as middle,
    quantile_disc(change, 0.1) as low, quantile_disc(change, 0.9) as high
  from past group by all
),
usual_of_train as (select train, to_stop, median(arrival_delay) as usual from past group by all),
usual_of_route as (select route, to_stop, median(arrival_delay) as usual from past group by all)
select
  asked.current_delay + coalesce(tb.middle, t.middle, r.middle, s.middle, 0) as middle,
  asked.current_delay + coalesce(tb.low, t.low, r.low, s.low, 0) as low,
  asked.current_delay + coalesce(tb.high, t.high, r.high, s.high, 0) as high,
  coalesce(ut.usual, ur.usual, 0) as usual
from pair_rows asked
left join by_train_and_band tb using (train, from_stop, to_stop, delay_band)
left join by_train t using (train, from_stop, to_stop)
left join by_route r using (route, from_stop, to_stop)
left join by_steps s using (steps, delay_band)
left join usual_of_train ut using (train, to_stop)
left join usual_of_route ur using (route, to_stop)
where asked.is_instant and asked.service_day between (select first_day from test_days) and (select last_day from test_days)
order by asked.run, asked.from_sequence, asked.to_sequence
