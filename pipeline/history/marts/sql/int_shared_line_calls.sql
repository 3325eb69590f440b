-- The planned calls of shared lines over all sources together, under source 0.
-- from: int_merged_calls, int_shared_lines
select * replace (0 as source_number)
from int_merged_calls
where line_key in (select line_key from int_shared_lines)
