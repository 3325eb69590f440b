import { createHash } from 'node:crypto';
import { type Duckdb, readSql, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { LAKE_SCHEMA_VERSION, SCHEMA_VERSION } from '../../lake/parquet-facts.ts';
import type { SourceId } from '../../model/ids.ts';
import { readRows } from './measure-rows.ts';
import { isCallCancelled } from './stop-event-table.ts';

/** The stop events of one source on a day. */
export interface DayFile {
  readonly source: SourceId;
  readonly file: string;
}

/**
 * Metadata keys of a file of stop events: its own id, and the ids of all files of the day when `is_counted` was
 * computed. A day is counted where all its files name each other, and no others. The marks are in the files themselves,
 * so that a new, removed or foreign file cannot be overlooked.
 */
export const FILE_ID = 'file_id';
export const COUNTED_WITH = 'counted_with';

/**
 * Rank of the evidence of a row of stop events, as an SQL expression; smaller is better. An explicit cancellation ranks
 * before a forecast and after an observation.
 */
export const evidenceRank = `case
    when not ${isCallCancelled} and evidence = 'observed_actual' then 0
    when ${isCallCancelled} then 1
    when evidence = 'forecast' then 2
    else 3
end`;

/** What the rules need of a row beside its columns, as SQL. */
export const rankColumns = `${evidenceRank} as evidence_rank, ${isCallCancelled} as is_cancelled`;

function selectRanked(source: SourceId, rows: string): string {
  return `select ${sqlText(source)} as source, ${rankColumns}, * from (${rows})`;
}

/** @param facts of the build of a file; unique per build, since they include its time */
export function fileBuildId(facts: object): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

/** @param together the files of the day, in any order; the catalog writes the same in SQL */
export function markFile(
  fileId: string,
  together: readonly { readonly source: SourceId; readonly fileId: string }[],
): Record<string, string> {
  const names = together.map(({ source, fileId: id }) => `${source}:${id}`).sort();
  return { [FILE_ID]: fileId, [COUNTED_WITH]: names.join(', ') };
}

export interface FileMarks {
  /** Null for files that were written before files had ids. */
  readonly fileId: string | null;
  readonly countedWith: string | null;
  readonly isOfPresentSchema: boolean;
}

/** Reads the marks of the files, in their order. */
export async function readMarks(db: Duckdb, files: readonly DayFile[]): Promise<FileMarks[]> {
  const marks: FileMarks[] = [];
  const keys = [FILE_ID, COUNTED_WITH, SCHEMA_VERSION].map((key) => `${sqlText(key)}::blob`).join(', ');
  for (const { file } of files) {
    const rows = await db.query(`select decode(key) as key, decode(value) as value
      from parquet_kv_metadata(${sqlPath(file)}) where key in (${keys})`);
    const find = (wanted: string) => (rows.find(({ key }) => key === wanted)?.value as string | undefined) ?? null;
    const isOfPresentSchema = find(SCHEMA_VERSION) === String(LAKE_SCHEMA_VERSION);
    marks.push({ fileId: find(FILE_ID), countedWith: find(COUNTED_WITH), isOfPresentSchema });
  }
  return marks;
}

/** Whether `is_counted` of these files, all those of a day, is up to date. */
export function isCountedTogether(files: readonly DayFile[], marks: readonly FileMarks[]): boolean {
  const together = files.map(({ source }, i) => ({ source, fileId: marks[i]!.fileId ?? '' }));
  return marks.every(
    ({ fileId, countedWith }) => fileId !== null && countedWith === markFile(fileId, together)[COUNTED_WITH],
  );
}

/**
 * Creates the view `stop_event_rows`, the rows of a day with `source`, `evidence_rank`, `is_cancelled` and
 * `file_row_number`, and the table `lost_calls`, those that do not count.
 * @param files of the day, at least one
 */
export async function findLostCalls(db: Duckdb, files: readonly DayFile[]): Promise<void> {
  const selects = files.map(({ source, file }) => selectRanked(source, readRows(file, ', file_row_number = true')));
  await db.run(`create or replace temp view stop_event_rows as ${selects.join(' union all by name ')}`);
  await db.run(
    `create or replace temp table lost_calls as ${await readSql('pipeline/history/stop-events/sql/lost_calls.sql')}`,
  );
}

/**
 * A select of all rows of a day with their `source`, `evidence_rank`, `is_cancelled`, and the correct `is_counted` for these files: as
 * written, or computed for this connection only where they were not counted together.
 */
export async function selectCountedRows(db: Duckdb, files: readonly DayFile[]): Promise<string> {
  if (isCountedTogether(files, await readMarks(db, files))) {
    const selects = files.map(({ source, file }) => selectRanked(source, readRows(file)));
    return selects.join(' union all by name ');
  }
  await findLostCalls(db, files);
  return `select columns(c -> c not in ('is_counted', 'file_row_number')),
    not is_added and (source, file_row_number) not in (select (source, file_row_number) from lost_calls) as is_counted
    from stop_event_rows`;
}
