-- How many forecasts of the day were kept whole.
-- from: calls
select count(distinct example) as examples
from calls
