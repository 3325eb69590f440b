import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sqlName, sqlText } from '../effects/duckdb.ts';
import { isSystemError } from '../effects/external-error.ts';
import { writeFileAtomically } from '../effects/files.ts';
import { readProjectFile } from '../effects/project-files.ts';
import { martTables } from '../history/marts/mart-tables.ts';
import { stopEventColumns } from '../history/stop-events/stop-event-table.ts';
import {
  addOptionalColumns,
  type SchemaReading,
  toMartReading,
  toObservationReading,
  toReading,
  toStopEventReading,
} from '../lake/observations/former-schema.ts';
import { observationColumns } from '../lake/observations/observation-table.ts';
import { lakeFolder } from '../lake/paths.ts';
import { predictionColumns } from '../predictions/live/prediction-store.ts';
import { metricTables } from '../predictions/measured/metric-tables.ts';
import { timetableColumns } from '../timetable/feed/lake-columns.ts';
import { countedCallsAbout, notInCountedCalls, selectCountedCalls } from './counted-calls.ts';

/** A view of the catalog: files of the lake under one name. */
export interface LakeView {
  /** `main` is omitted in SQL. */
  readonly schema: 'main' | 'timetable' | 'marts';
  readonly name: string;
  readonly about: string;
  /** A pattern of files below the lake. */
  readonly files: string;
  /** Columns of the partition folders, before those of the files. */
  readonly folderColumns: LakeColumns;
  readonly columns: LakeColumns;
  /** How files of former schemas are read. */
  readonly reading: SchemaReading;
}

type LakeColumns = Readonly<Record<string, readonly [type: string, about: string]>>;

const source = ['VARCHAR', 'Id of the source.'] as const;
const ofDay: LakeColumns = { source, service_date: ['DATE', 'The day that the trip belongs to.'] };
const ofVersion: LakeColumns = {
  source,
  feed_version: ['VARCHAR', 'The published version; names the bytes of the feed.'],
};

/** Every table of the lake and of the marts, in the order of the catalog. */
export function listLakeViews(): LakeView[] {
  return [
    {
      schema: 'main',
      name: 'stop_events',
      about: 'One row per call of a service day that is over, as one source or archive reports it.',
      files: 'stop_events/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: stopEventColumns,
      reading: toStopEventReading(stopEventColumns),
    },
    {
      schema: 'main',
      name: 'observations',
      about: 'A report of a source about one event of one call, for as long as it was unchanged.',
      files: 'observations/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: observationColumns,
      reading: toObservationReading(observationColumns),
    },
    {
      schema: 'main',
      name: 'predictions',
      about: 'A forecast of a later arrival of a trip under way, and its inputs.',
      files: 'predictions/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: predictionColumns,
      reading: toReading(predictionColumns),
    },
    ...Object.entries({ ...martTables, ...metricTables }).map(([name, { about, columns }]): LakeView => {
      const files = `../marts/${name}/month=*/*.parquet`;
      return { schema: 'marts', name, about, files, folderColumns: {}, columns, reading: toMartReading(columns) };
    }),
    ...Object.entries(timetableColumns).map(
      ([name, columns]): LakeView => ({
        schema: 'timetable',
        name,
        about:
          name === 'refused'
            ? 'Rows of a feed that were refused, and why; all versions that were ever ingested.'
            : 'Good rows of a feed, typed and checked; all versions that were ever ingested.',
        files: `timetable/${name}/source=*/feed_version=*/*.parquet`,
        folderColumns: ofVersion,
        columns,
        reading: toReading({}),
      }),
    ),
  ];
}

/** View that the counted calls are selected from. */
const COUNTED_FROM = 'stop_events';
const COUNTED = 'counted_calls';

/** Columns of the counted calls beside those of the stop events. */
const derived: LakeColumns = {
  is_cancelled: ['BOOLEAN', 'Whether the counted event is cancelled.'],
  is_observed: ['BOOLEAN', 'Whether the source reported the observed time; delay_seconds is known then.'],
  scheduled_time_local: ['TIMESTAMP', 'scheduled_time in local time at the stop; not UTC.'],
};

/**
 * The script that creates the lake as views in DuckDB, with a comment on each and on every column. It looks for the
 * lake in the current folder: that of the project, of the data, or of the lake; else where it was written.
 * @param lakeFolder absolute
 */
export function renderCatalog(views: readonly LakeView[], lakeFolder: string): string {
  return [
    '-- The lake as views, for DuckDB 1.2 or newer: duckdb -init data/lake/catalog.sql',
    '-- Written by Taktgeber; README.md beside it has example queries. Set the location of a moved lake first:',
    '-- duckdb -cmd "set variable lake = \'/mnt/lake\'" -init catalog.sql',
    "-- Instants are shown in UTC, also those of files without a time zone.\nset TimeZone = 'UTC';",
    `set variable lake = (select coalesce(
    getvariable('lake'),
    (select 'data/lake' from glob('data/lake/catalog.sql')),
    (select 'lake' from glob('lake/catalog.sql')),
    (select '.' from glob('catalog.sql')),
    ${sqlText(lakeFolder.replaceAll('\\', '/'))}
));`,
    "-- Escapes glob characters in the path of the lake.\nset variable lake_pattern = regexp_replace(getvariable('lake'), '([[*?])', '[\\1]', 'g');",
    ...[...new Set(views.map(({ schema }) => schema))]
      .filter((schema) => schema !== 'main')
      .map((schema) => `create schema if not exists ${schema};`),
    ...views.map(renderView),
    ...views.filter(({ schema, name }) => schema === 'main' && name === COUNTED_FROM).map(renderCountedCalls),
    '',
  ].join('\n\n');
}

/** A table without files is an empty view with its columns. */
function renderView(view: LakeView): string {
  const { schema, name, about, folderColumns, columns } = view;
  const relation = schema === 'main' ? name : `${schema}.${name}`;
  const all = { ...folderColumns, ...columns };
  const none = `select ${listEmpty(all)} limit 0`;
  return [
    `set variable ${nameFlag(view)} = (select count(*) > 0 from glob(${patternOf(view)}));`,
    chooseView(relation, [
      [`not ${flagOf(view)}`, none],
      ['true', selectFiles(view)],
    ]),
    `comment on view ${relation} is ${sqlText(about)};`,
    commentColumns(relation, all),
  ].join('\n');
}

/** Columns of the counted calls, which mean the same as in the stop events that they are selected from. */
export function listCountedColumns(): LakeColumns {
  const all = Object.entries({ ...ofDay, ...stopEventColumns });
  return { ...Object.fromEntries(all.filter(([column]) => !notInCountedCalls.includes(column))), ...derived };
}

/** Only planned calls are left. */
function renderCountedCalls(events: LakeView): string {
  const { name } = events;
  const columns = listCountedColumns();
  const none = `select ${listEmpty(columns)} limit 0`;
  const counted = selectCountedCalls(name, patternOf(events));
  return [
    chooseView(COUNTED, [
      [`not ${flagOf(events)}`, none],
      ['true', counted],
    ]),
    `comment on view ${COUNTED} is ${sqlText(countedCallsAbout)};`,
    commentColumns(COUNTED, columns),
  ].join('\n');
}

type Choice = readonly [condition: string, select: string];

/** A view whose select is chosen when it is read, because none can be created over missing files. */
function chooseView(relation: string, choices: readonly Choice[]): string {
  const cases = choices.map(([condition, select]) => `when ${condition} then\n    ${sqlText(select)}`);
  return `create or replace view ${relation} as\nfrom query(case ${cases.join('\n')}\nend);`;
}

/** Whether a table has files, as of when the catalog was read. */
function flagOf(view: LakeView): string {
  return `getvariable(${sqlText(nameFlag(view))})`;
}

function nameFlag({ schema, name }: LakeView): string {
  return `has_${schema}_${name}`;
}

function patternOf({ files }: LakeView): string {
  return `getvariable('lake_pattern') || ${sqlText(`/${files}`)}`;
}

function selectFiles(view: LakeView): string {
  const { folderColumns, columns, reading } = view;
  const values = listValues({ ...folderColumns, ...columns }, reading.replacements);
  const files = `read_parquet(${patternOf(view)}, ${listOptions(folderColumns)})`;
  return `select ${values} from ${addOptionalColumns(files, reading)}`;
}

function commentColumns(relation: string, columns: LakeColumns): string {
  return Object.entries(columns)
    .map(([column, [, words]]) => `comment on column ${relation}.${sqlName(column)} is ${sqlText(words)};`)
    .join('\n');
}

function listValues(columns: LakeColumns, replacements: SchemaReading['replacements']): string {
  return Object.keys(columns)
    .map((name) => (replacements[name] ? `${replacements[name]} as ${sqlName(name)}` : sqlName(name)))
    .join(', ');
}

function listEmpty(columns: LakeColumns): string {
  return Object.entries(columns)
    .map(([name, [type]]) => `null::${type} as ${sqlName(name)}`)
    .join(', ');
}

/** Folder names are read as text: a version that looks like a number is not converted. */
function listOptions(folderColumns: LakeColumns): string {
  const names = Object.entries(folderColumns);
  if (names.length === 0) return 'hive_partitioning = false, union_by_name = true';
  const types = names.map(([name, [type]]) => `${sqlName(name)}: ${type}`).join(', ');
  return `hive_partitioning = true, hive_types = {${types}}, union_by_name = true`;
}

/** Where the readme lists the tables. */
const TABLES_MARKER = '<!-- tables -->';

/**
 * Writes `README.md` and `catalog.sql` into the lake, which document its tables and how to query them.
 * @returns the files that changed; none when all were up to date
 */
export async function writeLakeGuide(dataDir: string): Promise<string[]> {
  const lake = path.resolve(lakeFolder(dataDir));
  const views = listLakeViews();
  const words = await readProjectFile('pipeline/guide/lake-readme.md');
  const files = {
    'README.md': words.replace(TABLES_MARKER, () => views.map(describeView).join('\n\n')),
    'catalog.sql': renderCatalog(views, lake),
  };
  const written: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(lake, name);
    if ((await findText(file)) === text) continue;
    await writeFileAtomically(file, text);
    written.push(file);
  }
  return written;
}

function describeView({ schema, name, about, folderColumns, columns }: LakeView): string {
  const rows = Object.entries({ ...folderColumns, ...columns }).map(
    ([column, [type, words]]) => `| \`${column}\` | \`${type}\` | ${words.replaceAll('|', '\\|')} |`,
  );
  const relation = schema === 'main' ? name : `${schema}.${name}`;
  return [`### ${relation}`, '', about, '', '| Column | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

async function findText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}
