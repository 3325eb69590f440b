-- Points of shapes in order. A cast accepts `nan` and `inf`, which would invalidate every distance computed from them.
create or replace macro finite_number(text) as
  case when isfinite(try_cast(text as double)) then try_cast(text as double) end;

create or replace temp table shapes_checked as
with parsed as (
  select
    *,
    try_cast(shape_pt_lat as double) as lat,
    try_cast(shape_pt_lon as double) as lon,
    try_cast(shape_pt_sequence as int) as sequence
  from text_shapes
)
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when shape_id is null then 'missing_id'
    when sequence is null or sequence < 0 then 'bad_sequence'
    when lat is null or lon is null or abs(lat) > 90 or abs(lon) > 180 then 'bad_coordinates'
    when row_number() over (partition by shape_id, sequence order by row_number) > 1 then 'duplicate_sequence'
  end as refusal
from parsed;

insert into refused
select 'shapes', row_number, refusal, concat_ws(' ', shape_id, shape_pt_sequence)
from shapes_checked where refusal is not null;

create or replace temp table shape_ids as
select (row_number() over (order by shape_id) - 1)::int as shape_index, shape_id
from shapes_checked where refusal is null
group by shape_id
having count(*) >= 2;

insert into refused
select 'shapes', row_number, 'too_few_points', shape_id
from shapes_checked where refusal is null and shape_id not in (select shape_id from shape_ids);

create or replace temp table shapes as
select
  shape_index, shape_id, sequence as point_sequence, lat, lon,
  finite_number(shape_dist_traveled) as distance
from shapes_checked join shape_ids using (shape_id)
where refusal is null
order by shape_index, sequence;
