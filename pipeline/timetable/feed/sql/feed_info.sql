-- The publisher's description of the feed: always one row, even without feed_info.
insert into refused
select 'feed_info', row_number, case when surplus is not null then 'too_many_values' else 'duplicate_row' end, null
from (
  select row_number, surplus, row_number() over (order by surplus is not null, row_number) as copy_number
  from text_feed_info
)
where surplus is not null or copy_number > 1;

create or replace temp table feed_info as
with published as (
  select * from text_feed_info where surplus is null order by row_number limit 1
), running as (
  select min(service_date) as first_date, max(service_date) as last_date
  from service_dates where service_index in (select service_index from trips union select service_index from on_demand_trips)
)
select
  feed_publisher_name as publisher_name,
  feed_version as published_version,
  -- The published dates neither remove nor add days: the period covers the days on which trips run.
  gtfs_date(feed_start_date) as begin_date,
  gtfs_date(feed_end_date) as end_date,
  first_date as first_service_date,
  last_date as last_service_date
from running left join published on true;
