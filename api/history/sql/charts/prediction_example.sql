-- One forecast of the day, call by call of its trip.
-- from: calls
select
    example,
    trip_id,
    line,
    direction,
    made_at,
    model,
    from_position,
    observed_at,
    current_delay_seconds,
    position,
    stop_name,
    scheduled_time,
    delay_seconds,
    low_seconds,
    median_seconds,
    high_seconds,
    reported_delay_seconds,
    train_runs,
    train_change_seconds,
    pattern_runs,
    pattern_change_seconds,
    leg_values,
    legs_change_seconds
from calls
where example = $example
order by position
