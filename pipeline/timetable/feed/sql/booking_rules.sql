-- How and until when a ride must be booked. A rule without its notice is valid: it says whom to call, not until when.
create or replace macro gtfs_time(text) as
  -- An interval may exceed 24 hours, and parses much faster than hours, minutes and seconds separately.
  case when regexp_full_match(text, '[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]') then epoch(text::interval)::int end;

create or replace macro web_address(text) as
  case when regexp_full_match(text, 'https?://[^\s]+') then text end;

create or replace temp table booking_rules_checked as
with parsed as (
  select
    rules.*,
    services.service_index,
    -- Some publishers leave the type out: the notice shows which one is meant.
    coalesce(
      booking_type,
      case when prior_notice_last_day is not null then '2' when prior_notice_duration_min is not null then '1' else '0' end)
      as rule_type,
    try_cast(prior_notice_duration_min as int) as notice_minutes,
    try_cast(prior_notice_last_day as int) as last_day,
    gtfs_time(prior_notice_last_time)::int as last_time,
    try_cast(prior_notice_duration_max as int) as most_minutes,
    try_cast(prior_notice_start_day as int) as start_day,
    gtfs_time(prior_notice_start_time)::int as start_time
  from text_booking_rules as rules left join services on services.service_id = prior_notice_service_id
)
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when booking_rule_id is null then 'missing_id'
    when row_number() over (partition by booking_rule_id order by row_number) > 1 then 'duplicate_id'
    when rule_type not in ('0', '1', '2') then 'bad_booking_type'
    when prior_notice_duration_min is not null and (notice_minutes is null or notice_minutes not between 0 and 527040)
      then 'bad_notice_duration'
    when prior_notice_last_day is not null and (last_day is null or last_day not between 0 and 366) then 'bad_notice_day'
    when prior_notice_last_time is not null and last_time is null then 'bad_time'
  end as refusal
from parsed;

insert into refused
select 'booking_rules', row_number, refusal, concat_ws(' ', booking_rule_id, booking_type, prior_notice_duration_min,
  prior_notice_last_day, prior_notice_last_time)
from booking_rules_checked where refusal is not null;

create or replace temp table booking_rules as
select
  (row_number() over (order by booking_rule_id) - 1)::int as booking_index,
  booking_rule_id,
  rule_type::utinyint as booking_type,
  case when rule_type = '1' then notice_minutes * 60 end as notice_seconds,
  case when rule_type = '2' and last_time is not null then last_day end as last_day,
  case when rule_type = '2' and last_day is not null then last_time end as last_time_seconds,
  case when rule_type = '2' then service_index end as service_index,
  case when rule_type = '1' and most_minutes between 1 and 527040 then most_minutes * 60 end as most_notice_seconds,
  -- The time is required with the day; without it booking begins with the day.
  case when rule_type <> '0' and start_day between 0 and 366 then start_day end as start_day,
  case when rule_type <> '0' and start_day between 0 and 366 then coalesce(start_time, 0) end as start_time_seconds,
  phone_number,
  web_address(coalesce(booking_url, info_url)) as url,
  message,
  pickup_message,
  drop_off_message
from booking_rules_checked where refusal is null;

insert into repaired
select 'booking_rules', 'missing_booking_type', count(*) filter (booking_type is null)
from booking_rules_checked where refusal is null
union all
select 'booking_rules', 'missing_notice', count(*) filter (
  (rule_type = '1' and notice_minutes is null) or (rule_type = '2' and (last_day is null or last_time is null)))
from booking_rules_checked where refusal is null
union all
select 'booking_rules', 'bad_notice_start', count(*) filter (
  (prior_notice_duration_max is not null and coalesce(most_minutes, 0) not between 1 and 527040)
  or (prior_notice_start_day is not null and coalesce(start_day, -1) not between 0 and 366)
  or (prior_notice_start_time is not null and start_time is null))
from booking_rules_checked where refusal is null
union all
select 'booking_rules', 'unknown_service', count(*) filter (prior_notice_service_id is not null and service_index is null)
from booking_rules_checked where refusal is null
union all
select 'booking_rules', 'bad_web_address', count(*) filter (
  coalesce(booking_url, info_url) is not null and web_address(coalesce(booking_url, info_url)) is null)
from booking_rules_checked where refusal is null;
