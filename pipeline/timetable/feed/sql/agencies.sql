-- Agencies with a usable time zone. `known_zones` holds the named zones that the runtime knows.
create or replace temp table agencies_checked as
select
  row_number,
  coalesce(agency_id, '') as agency_id,
  agency_name,
  agency_timezone,
  case
    when surplus is not null then 'too_many_values'
    when agency_timezone is null then 'missing_time_zone'
    when agency_timezone not in (select zone from known_zones) then 'unknown_time_zone'
    when row_number() over (partition by coalesce(agency_id, '') order by row_number) > 1 then 'duplicate_id'
  end as refusal,
  coalesce(agency_timezone, agency_id) as detail
from text_agency;

insert into refused
select 'agency', row_number, refusal, detail from agencies_checked where refusal is not null;

create or replace temp table agencies as
select
  (row_number() over (order by agency_id) - 1)::int as agency_index,
  agency_id,
  coalesce(agency_name, agency_id) as agency_name,
  agency_timezone as time_zone
from agencies_checked
where refusal is null;
