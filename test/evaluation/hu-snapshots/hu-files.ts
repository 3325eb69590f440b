import path from 'node:path';
import { type Duckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';

/** Files of the layout `hu_snapshots`, written from short texts. The local clock is an hour ahead of UTC. */
export interface HuTexts {
  /** One snapshot a line: `trip 07:10 | station 07:00 arrival/departure | ...`; "-" where there is none. */
  readonly snapshots: string;
  /** The same of the last poll; a station that ends in "*" is observed. */
  readonly finals: string;
  /** `trip 07:10 delay` a line. */
  readonly positions?: string;
}

interface HuFiles {
  readonly data: string;
  readonly companions: { readonly finals: string; readonly positions: readonly string[] };
}

export async function writeHuFiles(db: Duckdb, folder: string, date: string, texts: HuTexts): Promise<HuFiles> {
  const data = path.join(folder, 'hu_snapshots_x.parquet');
  const finals = path.join(folder, 'hu_final_x.parquet');
  const positions = path.join(folder, 'hu_live_positions_x.parquet');
  await writeRows(db, data, date, texts.snapshots);
  await writeRows(db, finals, date, texts.finals);
  const seen = lines(texts.positions ?? '').map((line) => {
    const [trip, clock, delay] = line.split(/\s+/) as [string, string, string];
    return `(${sqlText(trip)}, timestamp '${date} ${clock}' - interval 1 hour, ${delay}::double, 47.5, 19.0)`;
  });
  await db.run(`copy (select * from (values ${[...seen, "('none', null::timestamp, null::double, null::double, null::double)"].join(', ')})
    as seen(elvira_id, obs_utc, delay_min, lat, lon) where obs_utc is not null) to ${sqlText(positions)}`);
  return { data, companions: { finals, positions: [positions] } };
}

async function writeRows(db: Duckdb, file: string, date: string, text: string): Promise<void> {
  const rows = lines(text).flatMap((line) => {
    const [head, ...calls] = line.split('|').map((part) => part.trim()) as [string, ...string[]];
    const [trip, poll] = head.split(/\s+/) as [string, string];
    return calls.map((call, place) => rowOf(date, trip, poll, call, place + 1));
  });
  await db.run(`copy (select trip_id, train_number, service_date::date as service_date,
      req_local - interval 1 hour as req_utc, req_local, pos::smallint as pos, station, sched_local,
      arr_delay_min is not null as has_arr, arr_delay_min::bigint as arr_delay_min, dep_delay_min::bigint as dep_delay_min,
      observed
    from (values ${rows.join(', ')}) as reported(trip_id, train_number, service_date, req_local, pos, station, sched_local,
      arr_delay_min, dep_delay_min, observed)) to ${sqlText(file)}`);
}

function rowOf(date: string, trip: string, poll: string, call: string, place: number): string {
  const [station, clock, delays] = call.split(/\s+/) as [string, string, string];
  const [arrival, departure] = delays.split('/').map((delay) => (delay === '-' ? 'null::int' : delay));
  // "+" before a planned time: reported a day late.
  const late = clock.startsWith('+') ? ' + interval 1 day' : '';
  const instant = (time: string) => `timestamp '${date} ${time}'`;
  return `(${sqlText(trip)}, ${sqlText(`train ${trip}`)}, '${date}', ${instant(poll)}, ${place},
    ${sqlText(station.replace('*', ''))}, ${instant(clock.replace('+', ''))}${late}, ${arrival}, ${departure},
    ${station.endsWith('*')})`;
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
