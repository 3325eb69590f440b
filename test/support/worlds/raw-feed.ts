import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';
import { type Duckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';

/** Copies the files of a feed, a zip or a folder, without changes. */
export async function copyRawFeed(location: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await stat(location)).isDirectory()) {
    for (const name of await readdir(location)) await copyFile(path.join(location, name), path.join(folder, name));
    return;
  }
  const zip = await yauzl.openPromise(location, { lazyEntries: true, autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    const target = createWriteStream(path.join(folder, path.posix.basename(entry.fileName)));
    await pipeline(await zip.openReadStreamPromise(entry), target);
  }
  zip.close();
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Columns that queries need although a feed may lack them. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  calendar: ['service_id', 'start_date', 'end_date', ...WEEKDAYS],
  calendar_dates: ['service_id', 'date', 'exception_type'],
  frequencies: ['trip_id', 'start_time', 'end_time', 'headway_secs'],
};

/**
 * Counts calls per service date in the published text, independently of the ingest: one query over `read_csv` with the
 * types that DuckDB detects. For feeds with valid rows only; a trip with one call is not counted.
 * @param dates `YYYYMMDD`
 */
export async function countRawCalls(db: Duckdb, folder: string, dates: readonly string[]): Promise<number[]> {
  const names = await readdir(folder);
  for (const table of ['trips', 'stop_times', ...Object.keys(OPTIONAL)]) {
    const file = sqlText(path.join(folder, `${table}.txt`));
    const nothing = OPTIONAL[table]?.map((column) => `null::varchar as ${column}`).join(', ');
    const isThere = names.includes(`${table}.txt`) || nothing === undefined;
    const rows = isThere
      ? `from read_csv(${file}, header = true, all_varchar = true)`
      : `select ${nothing} where false`;
    await db.run(`create or replace temp table raw_${table} as ${rows}`);
  }
  const counts: number[] = [];
  for (const date of dates) {
    const [row] = await db.query(`
      with running as (
        select service_id from raw_calendar
        where ${sqlText(date)} between start_date and end_date
          and [${WEEKDAYS.join(', ')}][isodow(strptime(${sqlText(date)}, '%Y%m%d'))] = '1'
        union select service_id from raw_calendar_dates where date = ${sqlText(date)} and exception_type = '1'
        except select service_id from raw_calendar_dates where date = ${sqlText(date)} and exception_type = '2'
      ), repeats as (
        select trip_id, sum(ceil((${seconds('end_time')} - ${seconds('start_time')}) / headway_secs::int)) as runs
        from raw_frequencies group by trip_id
      ), calls as (
        select trip_id, count(*) as calls from raw_stop_times group by trip_id having count(*) > 1
      )
      select coalesce(sum(calls * coalesce(runs, 1)), 0)::int as n
      from raw_trips join calls using (trip_id) join running using (service_id) left join repeats using (trip_id)`);
    counts.push(Number(row!.n));
  }
  return counts;
}

function seconds(time: string): string {
  const part = (i: number) => `split_part(${time}, ':', ${i})::int`;
  return `(${part(1)} * 3600 + ${part(2)} * 60 + ${part(3)})`;
}
