import { sqlName, sqlText } from '../effects/duckdb.ts';
import type { LakeColumns, LakeView } from './lake-views.ts';

/** What the counted calls are chosen from. */
const COUNTED_FROM = 'stop_events';

/**
 * The script that gives DuckDB the lake as views, with a comment on each and on every column. It looks for the lake
 * from where it is run: in the folder of the project, of the data, or of the lake; else where it was written.
 * @param lakeFolder absolute
 */
export function renderCatalog(views: readonly LakeView[], lakeFolder: string): string {
  return [
    '-- The lake as views, for DuckDB 1.2 or newer: duckdb -init data/lake/catalog.sql',
    '-- Written by Taktgeber; README.md beside it says what can be asked. A lake that lies elsewhere is named before:',
    '-- duckdb -cmd "set variable lake = \'/mnt/lake\'" -init catalog.sql',
    "-- Instants are shown in UTC, and those of files that do not say what zone they are of are read as UTC.\nset TimeZone = 'UTC';",
    `set variable lake = (select coalesce(
    getvariable('lake'),
    (select 'data/lake' from glob('data/lake/catalog.sql')),
    (select 'lake' from glob('lake/catalog.sql')),
    (select '.' from glob('catalog.sql')),
    ${sqlText(lakeFolder.replaceAll('\\', '/'))}
));`,
    "-- Brackets in the path of the lake are no pattern.\nset variable lake_pattern = regexp_replace(getvariable('lake'), '([[*?])', '[\\1]', 'g');",
    ...[...new Set(views.map(({ schema }) => schema))]
      .filter((schema) => schema !== 'main')
      .map((schema) => `create schema if not exists ${schema};`),
    ...views.map(renderView),
    COUNTED_CALLS,
    ...views.filter(({ schema, name }) => schema === 'main' && name === COUNTED_FROM).map(commentCountedCalls),
    '',
  ].join('\n\n');
}

/** A table without files is an empty view: of the columns that it will have. */
function renderView(view: LakeView): string {
  const { schema, name, about, files, folderColumns, columns, replacements } = view;
  const relation = schema === 'main' ? name : `${schema}.${name}`;
  const flag = `has_${schema}_${name}`;
  const pattern = `getvariable('lake_pattern') || ${sqlText(`/${files}`)}`;
  const all = { ...folderColumns, ...columns };
  return [
    `set variable ${flag} = (select count(*) > 0 from glob(${pattern}));`,
    `create or replace view ${relation} as
from query(case when getvariable('${flag}') then
    ${sqlText(`select ${listValues(all, replacements)} from read_parquet(${pattern}, ${listOptions(folderColumns)})`)}
else
    ${sqlText(`select ${listEmpty(all)} limit 0`)}
end);`,
    `comment on view ${relation} is ${sqlText(about)};`,
    commentColumns(relation, all),
  ].join('\n');
}

function commentColumns(relation: string, columns: LakeColumns): string {
  return Object.entries(columns)
    .map(([column, [, words]]) => `comment on column ${relation}.${sqlName(column)} is ${sqlText(words)};`)
    .join('\n');
}

/** Its columns mean what they mean in the events that it chooses from; only planned calls are left. */
function commentCountedCalls({ folderColumns, columns }: LakeView): string {
  const { is_added: _, ...kept } = columns;
  return commentColumns('counted_calls', { ...folderColumns, ...kept });
}

function listValues(columns: LakeColumns, replacements: LakeView['replacements']): string {
  return Object.keys(columns)
    .map((name) => (replacements[name] ? `${replacements[name]} as ${sqlName(name)}` : sqlName(name)))
    .join(', ');
}

function listEmpty(columns: LakeColumns): string {
  return Object.entries(columns)
    .map(([name, [type]]) => `null::${type} as ${sqlName(name)}`)
    .join(', ');
}

/** Folder names are texts to begin with: a version that looks like a number stays what it is. */
function listOptions(folderColumns: LakeColumns): string {
  const names = Object.entries(folderColumns);
  if (names.length === 0) return 'hive_partitioning = false, union_by_name = true';
  const types = names.map(([name, [type]]) => `${sqlName(name)}: ${type}`).join(', ');
  return `hive_partitioning = true, hive_types = {${types}}, union_by_name = true`;
}

/** The one rule that a reader of `stop_events` would have to know: how a call that two sources tell counts once. */
const COUNTED_CALLS = `create or replace view counted_calls as
select
    * exclude (is_added),
    is_cancelled = false and evidence = 'observed_actual' as is_observed,
    make_timestamp(epoch_us(scheduled_time)) + to_minutes(utc_offset_minutes) as scheduled_time_local
from ${COUNTED_FROM}
where not is_added
qualify row_number() over (
    partition by service_date, trip_id, position, feed_source, case when feed_source is null then source end
    order by
        case
            when not is_cancelled and evidence = 'observed_actual' then 0
            when is_cancelled then 1
            when evidence = 'forecast' then 2
            else 3
        end,
        source
) = 1;
comment on view counted_calls is
    'Planned calls, each once: where several sources tell of a call, the best evidence does. As the api counts.';
comment on column counted_calls.is_observed is 'Whether the source said when it happened; delay_seconds is known then.';
comment on column counted_calls.scheduled_time_local is 'scheduled_time as the clocks at the stop show it; no UTC.';`;
