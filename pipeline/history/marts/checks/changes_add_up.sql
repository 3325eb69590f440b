-- Connections with more missed than observed, or more observed than planned.
select *
from connections_daily
where planned = 0 or observed > planned or missed > observed or cancelled > missed
