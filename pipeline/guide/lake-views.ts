import { readInPresentTypes } from '../lake/former-schema.ts';
import { observationColumns } from '../lake/observations/observation-table.ts';
import { stopEventColumns } from '../lake/stop-events/stop-event-table.ts';
import { martTables } from '../marts/mart-tables.ts';
import { predictionColumns } from '../predictions/live/prediction-table.ts';
import { figureTables } from '../predictions/measured/figure-tables.ts';
import { timetableColumns } from '../timetable/lake-columns.ts';

/** A view of the catalog: files of the lake under one name. */
export interface LakeView {
  /** `main` needs not be written in SQL. */
  readonly schema: 'main' | 'timetable' | 'marts';
  readonly name: string;
  readonly about: string;
  /** A pattern of files below the lake. */
  readonly files: string;
  /** Columns that the folders say, before those of the files. */
  readonly folderColumns: LakeColumns;
  readonly columns: LakeColumns;
  /** SQL in place of what a column says in files of a former schema. */
  readonly replacements: Readonly<Record<string, string>>;
}

export type LakeColumns = Readonly<Record<string, readonly [type: string, about: string]>>;

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
      about: 'One row per call of a service day that is over, as one source or archive tells it.',
      files: 'stop_events/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: stopEventColumns,
      replacements: readInPresentTypes(stopEventColumns),
    },
    {
      schema: 'main',
      name: 'observations',
      about: 'What a source said of one event of one call, for as long as it said the same.',
      files: 'observations/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: observationColumns,
      replacements: readInPresentTypes(observationColumns),
    },
    {
      schema: 'main',
      name: 'predictions',
      about: 'What was forecast of a later arrival of a trip under way, and what the forecast rests on.',
      files: 'predictions/source=*/service_date=*/*.parquet',
      folderColumns: ofDay,
      columns: predictionColumns,
      replacements: readInPresentTypes(predictionColumns),
    },
    ...Object.entries({ ...martTables, ...figureTables }).map(([name, { about, columns }]): LakeView => {
      const files = `../marts/${name}/month=*/*.parquet`;
      return { schema: 'marts', name, about, files, folderColumns: {}, columns, replacements: {} };
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
        replacements: {},
      }),
    ),
  ];
}
