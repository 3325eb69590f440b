-- Macros and facts that the fixes of trains share.
create or replace macro is_rail(route_type) as
  coalesce(try_cast(route_type as int) = 2 or try_cast(route_type as int) between 100 and 117, false);

-- The category in front of a line or train number; null if the name is anything else.
create or replace macro train_category(name) as nullif(
  regexp_extract(
    trim(name), '^(ICBus|RJX|RJ|ICE|ICN|IC|ECB|EC|EN|NJ|WB|IR|D|CJX|REX|RE|RB|ER|ATB|R|S)(?: ?[0-9]+[A-Za-z]?)?$', 1),
  '');

-- Numbers of lines have one or two digits, except that long-distance trains have no lines.
create or replace macro is_train_number(name) as coalesce(
  regexp_full_match(trim(name), '(RJX|RJ|ICE|ICN|IC|ECB|EC|EN|NJ|WB|IR|D) ?[0-9]+')
    or regexp_full_match(trim(name), '(CJX|REX|RE|RB|ER|ATB|R|S) ?[0-9]{3,}'),
  false);

-- Categories of railway routes by their trips, where all trips of a route have the same.
create or replace table trip_categories as
select route_id, min(train_category(trip_short_name)) as category
from text_trips
where route_id in (select route_id from text_routes where is_rail(route_type) or route_type = '3')
group by route_id
having count(*) = count(train_category(trip_short_name)) and count(distinct train_category(trip_short_name)) = 1;
