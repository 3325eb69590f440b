-- Service dates: the week pattern of calendar, with the exceptions of calendar_dates applied. A date outside these
-- years is a typing error, and its days would outnumber all others.
create or replace macro gtfs_date(text) as
  case when length(text) = 8 and text between '19700101' and '21991231' then try_strptime(text, '%Y%m%d')::date end;

create or replace temp table calendar_checked as
with parsed as (
  select
    *,
    gtfs_date(start_date) as begin_date,
    gtfs_date(end_date) as last_date,
    [monday, tuesday, wednesday, thursday, friday, saturday, sunday] as days
  from text_calendar
)
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when service_id is null then 'missing_id'
    when row_number() over (partition by service_id order by row_number) > 1 then 'duplicate_id'
    when begin_date is null or last_date is null then 'bad_date'
    when last_date < begin_date then 'ends_before_it_starts'
    -- A century of daily rows is an error too.
    when last_date - begin_date > 36525 then 'period_too_long'
    when len(list_filter(days, lambda day: day in ('0', '1'))) <> 7 then 'bad_weekday'
  end as refusal
from parsed;

insert into refused
select 'calendar', row_number, refusal, concat_ws(' ', service_id, start_date, end_date)
from calendar_checked where refusal is not null;

create or replace temp table calendar_dates_checked as
select
  row_number,
  service_id,
  gtfs_date(date) as service_date,
  exception_type,
  case
    when surplus is not null then 'too_many_values'
    when service_id is null then 'missing_id'
    when gtfs_date(date) is null then 'bad_date'
    when exception_type is null or exception_type not in ('1', '2') then 'bad_exception_type'
    when row_number() over (partition by service_id, date order by row_number) > 1 then 'duplicate_row'
  end as refusal,
  concat_ws(' ', service_id, date, exception_type) as detail
from text_calendar_dates;

insert into refused
select 'calendar_dates', row_number, refusal, detail from calendar_dates_checked where refusal is not null;

-- A service without any day is still known: its trips are valid, but never run.
create or replace temp table services as
select (row_number() over (order by service_id) - 1)::int as service_index, service_id
from (
  select service_id from calendar_checked where refusal is null
  union
  select service_id from calendar_dates_checked where refusal is null
);

create or replace temp table service_dates as
with week as (
  select service_id, unnest(generate_series(begin_date, last_date, interval 1 day))::date as service_date, days
  from calendar_checked where refusal is null
), running as (
  select service_id, service_date from week where days[isodow(service_date)] = '1'
  union
  select service_id, service_date from calendar_dates_checked where refusal is null and exception_type = '1'
  except
  select service_id, service_date from calendar_dates_checked where refusal is null and exception_type = '2'
)
select service_index, service_id, service_date
from running join services using (service_id)
order by service_index, service_date;
