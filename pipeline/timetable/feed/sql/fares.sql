-- Fares v1: fare classes (fare_attributes.txt) and their validity (fare_rules.txt).

-- Hundredths of a currency's unit, by decimals, never floats. Text such as "1e3", "$3" or "2,75" is not a price.
create or replace macro gtfs_cents(text) as
  case when regexp_full_match(text, '-?[0-9]*\.?[0-9]+') then (try_cast(text as decimal(11, 2)) * 100)::bigint end;
-- Whole numbers of up to nine digits.
create or replace macro gtfs_count(text) as case when regexp_full_match(text, '[0-9]{1,9}') then text::int end;
create or replace macro gtfs_currency(text) as case when regexp_full_match(text, '[A-Za-z]{3}') then upper(text) end;

create or replace temp table fare_attributes_checked as
select
  text_fare_attributes.*,
  agencies.agency_index,
  case
    when surplus is not null then 'too_many_values'
    when fare_id is null then 'missing_id'
    when row_number() over (partition by fare_id order by row_number) > 1 then 'duplicate_id'
    when coalesce(gtfs_cents(price), -1) < 0 then 'bad_price'
    when gtfs_currency(currency_type) is null then 'bad_currency'
    -- The standard ends at 2; publishers use larger numbers.
    when transfers is not null and coalesce(gtfs_count(transfers), 1000) > 999 then 'bad_transfers'
    when transfer_duration is not null and gtfs_count(transfer_duration) is null then 'bad_duration'
    when text_fare_attributes.agency_id is not null and agencies.agency_index is null then 'unknown_agency'
  end as refusal
from text_fare_attributes
left join agencies on agencies.agency_id = text_fare_attributes.agency_id;

insert into refused
select 'fare_attributes', row_number, refusal, concat_ws(' ', fare_id, price, currency_type, agency_id)
from fare_attributes_checked where refusal is not null;

create or replace temp table fare_attributes as
select
  (row_number() over (order by fare_id) - 1)::int as fare_index,
  fare_id,
  gtfs_cents(price) as amount_cents,
  gtfs_currency(currency_type) as currency,
  gtfs_count(transfers)::smallint as transfers,
  gtfs_count(transfer_duration) as transfer_seconds,
  agency_index,
  -- A fare without rules is valid everywhere; one whose rules were all refused is not.
  fare_id in (select fare_id from text_fare_rules where fare_id is not null) as has_rules
from fare_attributes_checked
where refusal is null;

-- Zone and time zone of stops for fares. A platform's time zone is its station's.
create or replace temp table fare_stops as
select stops.stop_index, own.zone_id, whole.stop_timezone as time_zone
from stops
join stops_checked as own on own.stop_id = stops.stop_id and own.refusal is null
join stops as stations on stations.stop_index = stops.station_index
join stops_checked as whole on whole.stop_id = stations.stop_id and whole.refusal is null
where own.zone_id is not null or whole.stop_timezone is not null;

create or replace temp table fare_rules_checked as
with zones as (
  select distinct zone_id from fare_stops where zone_id is not null
)
select
  text_fare_rules.*,
  fare_attributes.fare_index,
  routes.route_index,
  case
    when surplus is not null then 'too_many_values'
    when fare_attributes.fare_index is null then 'unknown_fare'
    when text_fare_rules.route_id is not null and routes.route_index is null then 'unknown_route'
    when (origin_id is not null and origin.zone_id is null)
      or (destination_id is not null and destination.zone_id is null)
      or (contains_id is not null and contained.zone_id is null) then 'unknown_zone'
    when row_number() over (
      partition by text_fare_rules.fare_id, text_fare_rules.route_id, origin_id, destination_id, contains_id
      order by row_number
    ) > 1 then 'duplicate_row'
  end as refusal
from text_fare_rules
left join fare_attributes using (fare_id)
left join routes using (route_id)
left join zones as origin on origin.zone_id = origin_id
left join zones as destination on destination.zone_id = destination_id
left join zones as contained on contained.zone_id = contains_id;

insert into refused
select 'fare_rules', row_number, refusal, concat_ws(' ', fare_id, route_id, origin_id, destination_id, contains_id)
from fare_rules_checked where refusal is not null;

create or replace temp table fare_rules as
select fare_index, route_index, origin_id, destination_id, contains_id
from fare_rules_checked where refusal is null
order by all;
