-- Names of stops in other languages. Three forms are in use: by `record_id`, by `field_value` (all rows with that
-- value), and the older one of Google with `trans_id`, which is the value itself, of any table. Translations of other
-- fields are valid rows, but in no typed table.
create or replace temp table translations_checked as
with parsed as (
  select
    *,
    coalesce(language, lang) as translation_language,
    coalesce(field_value, case when table_name is null then trans_id end) as translated_value,
    (table_name = 'stops' and field_name = 'stop_name') or (table_name is null and trans_id is not null) as is_stop_name
  from text_translations
)
select
  parsed.*,
  stop.stop_index,
  case
    when surplus is not null then 'too_many_values'
    when table_name is null and trans_id is null then 'missing_table_name'
    when translation is null then 'missing_translation'
    when translation_language is null then 'missing_language'
    when is_stop_name and table_name is not null and record_id is null and field_value is null then 'missing_record'
    when is_stop_name and record_id is not null and stop.stop_index is null then 'unknown_stop'
  end as refusal
from parsed
left join stops as stop on stop.stop_id = case when is_stop_name then record_id end;

insert into refused
select 'translations', row_number, refusal, coalesce(record_id, translated_value, translation)
from translations_checked where refusal is not null;

create or replace temp table stop_translations as
with names as (
  select * from translations_checked where refusal is null and is_stop_name
), by_record as (
  select stop_index, translation_language as language, translation as stop_name
  from names where stop_index is not null
), by_value as (
  select stops.stop_index, translation_language as language, translation as stop_name
  from names
  join stops on stops.stop_name = names.translated_value
  where names.stop_index is null
)
select distinct stop_index, language, stop_name from by_record
union
-- By the reference, `record_id` takes precedence if both forms translate a field.
select distinct by_value.* from by_value
left join by_record using (stop_index, language)
where by_record.stop_index is null;
