-- Changes of which more were missed than observed, or observed than planned.
select *
from connections_daily
where planned = 0 or observed > planned or missed > observed or cancelled > missed
