-- Lines of more than one source, or with calls that another source has under another line. For every other line its one
-- source equals all sources together, so it is counted once for both.
-- from: int_calls
select line_key
from int_calls
group by line_key
having
    min(source_number) <> max(source_number)
    or bool_or(not is_counted)
