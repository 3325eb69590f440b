-- All pairs of the calls in `run_calls`, from every departure, with their outcome; delays on the grid of `delay_grid`.
-- Pairs that are not instants of prediction are used to build tables only.
with calls as (
  select
    *,
    floor(arrival_delay / (select seconds from delay_grid)) * (select seconds from delay_grid) as arrival,
    floor(departure_delay / (select seconds from delay_grid)) * (select seconds from delay_grid) as departure
  from run_calls
)
select
  a.run,
  a.service_day,
  a.train,
  a.route,
  a.is_instant,
  a.sequence as from_sequence,
  b.sequence as to_sequence,
  a.stop as from_stop,
  b.stop as to_stop,
  b.sequence - a.sequence as steps,
  a.departure as current_delay,
  -- Bands of current delay with similar changes: on time, and increasingly late.
  case
    when a.departure < 60 then 0
    when a.departure < 120 then 1
    when a.departure < 180 then 2
    when a.departure < 300 then 3
    when a.departure < 600 then 4
    when a.departure < 1200 then 5
    else 6
  end as delay_band,
  b.arrival as arrival_delay,
  b.arrival - a.departure as change
from calls a
join calls b on a.run = b.run and b.sequence - a.sequence in (1, 2, 3, 5, 8, 12)
where not isnan(a.departure) and not isnan(b.arrival)
