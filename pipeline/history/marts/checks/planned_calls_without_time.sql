-- Planned calls that have no planned time: what hour they belong to is unknown.
select *
from int_calls
where scheduled is null or dow is null or hour is null
