-- Duplicate keys of connections_daily.
select service_date, source, feed_source, station_id, from_line, to_line, rules_version, count(*) as n
from connections_daily
group by all
having count(*) > 1
