-- Rows whose counts contradict each other.
with

counted as (
    select 'punctuality_cube' as mart, columns(* exclude delay_histogram) from punctuality_cube
    union all by name
    select 'network_hourly' as mart, columns(*) from network_hourly
    union all by name
    select 'operator_hourly' as mart, columns(*) from operator_hourly
    union all by name
    select 'line_daily' as mart, columns(* exclude (p50_delay_seconds, p90_delay_seconds)) from line_daily
    union all by name
    select 'stop_daily' as mart, columns(* exclude hours) from stop_daily
)

select *
from counted
where
    scheduled = 0
    or replaced > cancelled
    or observed::bigint + cancelled + missing <> scheduled
    or on_time::bigint + late <> observed
    or derived::bigint + forecasts > observed
    or (evidence = 'observed_actual' and forecasts > 0)
    or early > on_time
    or (late_min_delay_seconds >= on_time_max_delay_seconds and late10 > late)
    or (observed = 0 and delay_sum_seconds <> 0)
