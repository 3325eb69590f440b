-- Paths within stations; the step-free ones show which platforms need a lift.
create or replace temp table pathways_checked as
select
  text_pathways.*,
  from_stop.stop_index as from_stop_index,
  to_stop.stop_index as to_stop_index,
  try_cast(pathway_mode as utinyint) as mode,
  case
    when surplus is not null then 'too_many_values'
    when pathway_id is null then 'missing_id'
    when row_number() over (partition by pathway_id order by row_number) > 1 then 'duplicate_id'
    when from_stop.stop_index is null or to_stop.stop_index is null then 'unknown_stop'
    when try_cast(pathway_mode as utinyint) is null or try_cast(pathway_mode as utinyint) not between 1 and 7
      then 'bad_pathway_mode'
    when coalesce(is_bidirectional, '') not in ('0', '1') then 'bad_direction'
  end as refusal
from text_pathways
left join stops as from_stop on from_stop.stop_id = from_stop_id
left join stops as to_stop on to_stop.stop_id = to_stop_id;

insert into refused
select 'pathways', row_number, refusal, concat_ws(' ', pathway_id, from_stop_id, to_stop_id, pathway_mode)
from pathways_checked where refusal is not null;

create or replace temp table pathways as
select pathway_id, from_stop_index, to_stop_index, mode as pathway_mode, is_bidirectional = '1' as is_bidirectional
from pathways_checked where refusal is null
order by pathway_id;
