-- The planned calls of shared lines over all sources together, under source 0.
-- from: int_merged_calls, int_shared_lines
select
    cast(0 as smallint) as source_number,
    place_key,
    line_key,
    dow,
    hour,
    is_cancelled,
    is_replaced,
    evidence_rank,
    delay_seconds,
    forecast_delay_seconds,
    is_derived,
    is_final_forecast
from int_merged_calls
where line_key in (select line_key from int_shared_lines)
