-- The planned calls of one day as all sources together tell them: each call once.
-- from: int_calls
select *
from int_calls
where is_counted
