-- Planned calls by source, and as source 0 all sources together, once for each definition of what is on time, with the
-- delay that counts: null where the definition has no evidence.
-- from: int_calls, int_merged_calls, definitions
with

calls as (
    from int_calls
    union all
    select * replace (0 as source_number) from int_merged_calls
)

select
    definitions.number as definition_number,
    source_number,
    place_key,
    line_key,
    dow,
    hour,
    is_cancelled,
    case
        when evidence_rank = 0 then delay_seconds
        when evidence_rank = 2 and definitions.evidence = 'forecast' then forecast_delay_seconds
    end as delay_seconds
from calls
cross join definitions
