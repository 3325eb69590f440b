-- Lines that more than one source tells of, or some of whose calls another source tells under another line. Of every
-- other line all sources together say what its one source says, and it is counted once for both.
-- from: int_calls
select line_key
from int_calls
group by line_key
having
    min(source_number) <> max(source_number)
    or bool_or(not is_counted)
