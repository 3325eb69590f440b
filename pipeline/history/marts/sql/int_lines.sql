-- The sources that the calls of a source and line count for, and the line's name: the source itself, and for a line of
-- one source alone also all sources together.
-- from: int_calls, int_names, int_shared_lines, day_sources
with

source_lines as (
    select distinct source_number, line_key from int_calls
),

counted as (
    select source_number, line_key, source_number as counts_to from source_lines
    union all
    select source_number, line_key, 0 from source_lines where line_key not in (select line_key from int_shared_lines)
    union all
    select 0, line_key, 0 from int_shared_lines
),

names as (
    select distinct line_key, line, product, operator from int_names
)

select
    source_number,
    line_key,
    source,
    line,
    product,
    operator
from counted
inner join names using (line_key)
inner join day_sources on day_sources.number = counts_to
