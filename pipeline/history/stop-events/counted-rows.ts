import { createHash } from 'node:crypto';
import { type Duckdb, readSql, sqlPath, sqlText } from '../../effects/duckdb.ts';
import type { SourceId } from '../../model/ids.ts';
import { readRows } from './measure-rows.ts';

/** The stop events of one source on a day. */
export interface DayFile {
  readonly source: SourceId;
  readonly file: string;
}

/**
 * Keys of the metadata of a file of stop events: its own name, and the names of all files of the day that were looked at
 * together when `is_counted` was worked out. A day is counted where all its files name each other, and no others: they
 * say so themselves, so that a file that is new, gone, or came from elsewhere cannot be overlooked.
 */
export const FILE_ID = 'file_id';
export const COUNTED_WITH = 'counted_with';

/**
 * How good the evidence is that a row of stop events has of its call, as an SQL expression: the better, the smaller. An
 * explicit cancellation counts more than a forecast and less than an observation.
 */
export const evidenceRank = `case
    when not is_cancelled and evidence = 'observed_actual' then 0
    when is_cancelled then 1
    when evidence = 'forecast' then 2
    else 3
end`;

/** @param facts of the making of a file; other rows have other facts, as the moment is among them */
export function nameFile(facts: object): string {
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
  /** Null for files that were written before files had names. */
  readonly fileId: string | null;
  readonly countedWith: string | null;
}

/** What the files say of themselves, in their order. */
export async function readMarks(db: Duckdb, files: readonly DayFile[]): Promise<FileMarks[]> {
  const marks: FileMarks[] = [];
  for (const { file } of files) {
    const rows = await db.query(`select decode(key) as key, decode(value) as value
      from parquet_kv_metadata(${sqlPath(file)}) where key in (${sqlText(FILE_ID)}::blob, ${sqlText(COUNTED_WITH)}::blob)`);
    const find = (wanted: string) => (rows.find(({ key }) => key === wanted)?.value as string | undefined) ?? null;
    marks.push({ fileId: find(FILE_ID), countedWith: find(COUNTED_WITH) });
  }
  return marks;
}

/** Whether `is_counted` of these files, all those of a day, is as it would be worked out now. */
export function isCountedTogether(files: readonly DayFile[], marks: readonly FileMarks[]): boolean {
  const together = files.map(({ source }, i) => ({ source, fileId: marks[i]!.fileId ?? '' }));
  return marks.every(
    ({ fileId, countedWith }) => fileId !== null && countedWith === markFile(fileId, together)[COUNTED_WITH],
  );
}

/**
 * Leaves the view `stop_event_rows`, the rows of a day with `source`, `evidence_rank` and `file_row_number`, and
 * the table `lost_calls`, those that do not count.
 * @param files of the day, at least one
 */
export async function findLostCalls(db: Duckdb, files: readonly DayFile[]): Promise<void> {
  const selects = files.map(
    ({ source, file }) => `select ${sqlText(source)} as source, ${evidenceRank} as evidence_rank, *
      from (${readRows(file, ', file_row_number = true')})`,
  );
  await db.run(`create or replace temp view stop_event_rows as ${selects.join(' union all by name ')}`);
  await db.run(
    `create or replace temp table lost_calls as ${await readSql('pipeline/history/stop-events/sql/lost_calls.sql')}`,
  );
}

/**
 * A select of all rows of a day with their `source`, `evidence_rank`, and `is_counted` as it is right for these files: as
 * they say, or worked out for this connection alone where they were not looked at together.
 */
export async function selectCountedRows(db: Duckdb, files: readonly DayFile[]): Promise<string> {
  if (isCountedTogether(files, await readMarks(db, files))) {
    const selects = files.map(
      ({ source, file }) =>
        `select ${sqlText(source)} as source, ${evidenceRank} as evidence_rank, * from (${readRows(file)})`,
    );
    return selects.join(' union all by name ');
  }
  await findLostCalls(db, files);
  return `select columns(c -> c not in ('is_counted', 'file_row_number')),
    not is_added and (source, file_row_number) not in (select (source, file_row_number) from lost_calls) as is_counted
    from stop_event_rows`;
}
