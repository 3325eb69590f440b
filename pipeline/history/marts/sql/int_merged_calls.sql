-- The planned calls of one day over all sources together, each call once.
-- from: int_calls
select *
from int_calls
where is_counted
