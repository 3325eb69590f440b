-- The counts of whole networks by day, weekday and hour: few rows, which every query of a network needs.
select *
from marts.network_hourly
