-- Planned calls without a planned time, whose hour is therefore unknown.
select *
from int_calls
where scheduled is null or dow is null or hour is null
