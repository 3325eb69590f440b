import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Duckdb, globPath, readSql, sqlPattern, sqlText } from '../effects/duckdb.ts';
import { parseServiceDate, type ServiceDate } from '../model/service-time.ts';
import type { ArchiveMapping } from './archive-mapping.ts';
import { asReadable, openArchive } from './read-archive.ts';
import { buildStageSelect, NO_DAY, OUTSIDE_DAY, type StagePeriod } from './stage-select.ts';

/** An archive's rows with columns of ours, one folder of Parquet per service date. */
export interface StagedArchive {
  /** Of days that were asked for, oldest first. */
  readonly days: readonly StagedDay[];
  readonly rowsRead: number;
  /** Lines that are no rows, and rows that belong to no day. */
  readonly unreadable: number;
  readonly withoutDate: number;
  /** Rows of days that were not asked for. */
  readonly outside: number;
}

export interface StagedDay {
  readonly serviceDate: ServiceDate;
  /** A pattern of its files. */
  readonly files: string;
  readonly rows: number;
}

/**
 * Reads an archive once and deals its rows to their days, so that no later step reads all of it again.
 * Leaves the table `mute_places` behind.
 * @param folder an empty work folder
 * @throws MappingError for columns that the archive does not have
 * @throws WorldError `archive_unreadable`
 */
export async function stageArchive(
  db: Duckdb,
  file: string,
  mapping: ArchiveMapping,
  folder: string,
  period: StagePeriod,
): Promise<StagedArchive> {
  await mkdir(folder, { recursive: true });
  const archive = await openArchive(db, file, mapping.file);
  const select = buildStageSelect(mapping, archive.columns, archive.relation, period);
  await asReadable(file, () =>
    db.run(`copy (${select}) to ${sqlText(folder)}
      (format parquet, compression snappy, partition_by ("day"), overwrite_or_ignore true)`),
  );
  const unreadable = await archive.countUnreadable();
  const rowsByDay = await countByDay(db, folder);
  await findMutePlaces(db, mapping, folder, rowsByDay.size > 0);
  const staged = [...rowsByDay.values()].reduce((sum, rows) => sum + rows, 0);
  const days = [...rowsByDay].flatMap(([day, rows]) => {
    const serviceDate = parseServiceDate(day);
    return serviceDate ? [{ serviceDate, rows, files: path.join(globPath(folder), `day=${day}`, '*.parquet') }] : [];
  });
  return {
    days: days.sort((a, b) => (a.serviceDate < b.serviceDate ? -1 : 1)),
    rowsRead: staged + unreadable,
    unreadable,
    withoutDate: rowsByDay.get(NO_DAY) ?? 0,
    outside: rowsByDay.get(OUTSIDE_DAY) ?? 0,
  };
}

async function countByDay(db: Duckdb, folder: string): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  for (const name of (await readdir(folder)).filter((one) => one.startsWith('day='))) {
    const files = sqlPattern(folder, name, '*.parquet');
    const [row] = await db.query(`select sum(num_rows)::double as n from parquet_file_metadata(${files})`);
    rows.set(name.slice('day='.length), Number(row?.n));
  }
  return rows;
}

async function findMutePlaces(
  db: Duckdb,
  { unknown }: ArchiveMapping,
  folder: string,
  hasRows: boolean,
): Promise<void> {
  const rule = unknown.map(({ where }) => where).find(({ kind }) => kind === 'neverOther');
  if (rule?.kind !== 'neverOther' || !hasRows) {
    await db.run('create or replace table mute_places (mute_place varchar)');
    return;
  }
  const files = sqlPattern(folder, '*', '*.parquet');
  await db.run(`create or replace view staged_rows as from read_parquet(${files}, hive_partitioning = false)`);
  await db.run(`set variable mute_rows = ${rule.rows}`);
  await db.run(`create or replace table mute_places as ${await readSql('pipeline/archives/sql/mute_places.sql')}`);
}
