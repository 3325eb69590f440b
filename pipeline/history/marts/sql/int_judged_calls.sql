-- Planned calls by source, once per punctuality definition, with the delay that counts: null where the definition has
-- no evidence. Source 0 is all sources together, of shared lines only: see int_lines for the others.
-- from: int_calls, int_shared_line_calls, definitions
with

calls as (
    select
        source_number,
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
    from int_calls
    union all
    select * from int_shared_line_calls
)

select
    definitions.number as definition_number,
    source_number,
    place_key,
    line_key,
    dow,
    hour,
    is_cancelled,
    is_replaced,
    on_time_max_delay_seconds,
    late_min_delay_seconds,
    early_min_seconds,
    case
        when evidence_rank = 0 then delay_seconds
        when evidence_rank <> 2 then null
        when definitions.evidence = 'forecast' then forecast_delay_seconds
        when definitions.evidence = 'last_forecast' and is_final_forecast then forecast_delay_seconds
    end as delay_seconds,
    evidence_rank = 0 and is_derived as is_derived,
    evidence_rank = 2 as is_forecast
from calls
cross join definitions
