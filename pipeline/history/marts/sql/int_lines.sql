-- Whose line the calls of a source and a line count to, and its name: the source's, and where no other source tells of
-- the line, that of all sources together as well.
-- from: int_calls, int_names, int_shared_lines, day_sources
with

told as (
    select distinct source_number, line_key from int_calls
),

counted as (
    select source_number, line_key, source_number as counts_to from told
    union all
    select source_number, line_key, 0 from told where line_key not in (select line_key from int_shared_lines)
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
