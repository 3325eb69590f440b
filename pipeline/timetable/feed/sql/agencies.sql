-- Agencies with a usable time zone. `known_zones` holds the named zones that the runtime knows.
create or replace temp table agencies_checked as
with zoned as (
  select
    *,
    -- The zone of the source, if it is configured, stands in for one that is missing or unknown.
    case when agency_timezone in (select zone from known_zones) then agency_timezone else getvariable('source_zone')::varchar end
      as time_zone
  from text_agency
)
select
  row_number,
  coalesce(agency_id, '') as agency_id,
  agency_name,
  agency_timezone,
  time_zone,
  case
    when surplus is not null then 'too_many_values'
    when time_zone is null and agency_timezone is null then 'missing_time_zone'
    when time_zone is null then 'unknown_time_zone'
    when row_number() over (partition by coalesce(agency_id, '') order by row_number) > 1 then 'duplicate_id'
  end as refusal,
  coalesce(agency_timezone, agency_id) as detail
from zoned;

insert into refused
select 'agency', row_number, refusal, detail from agencies_checked where refusal is not null;

create or replace temp table agencies as
select
  (row_number() over (order by agency_id) - 1)::int as agency_index,
  agency_id,
  coalesce(agency_name, agency_id) as agency_name,
  time_zone
from agencies_checked
where refusal is null;

insert into repaired
select 'agency', 'assumed_time_zone', count(*)
from agencies_checked where refusal is null and agency_timezone is distinct from time_zone;
