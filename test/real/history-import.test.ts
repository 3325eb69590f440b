import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Duckdb, openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import type { ImportOutcome } from '../../pipeline/history/archives/import-archive.ts';
import { findStopEventManifest, listStopEventDays } from '../../pipeline/history/stop-events/stop-event-store.ts';
import { importFile, queryStopEvents } from '../support/worlds/imported-world.ts';
import { realData } from '../support/worlds/real-data.ts';

let db: Duckdb;
let dataDir: string;
beforeAll(async () => {
  db = await openDuckdb({ threads: 2 });
  dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-history-'));
});
afterAll(async () => {
  db.close();
  await rm(dataDir, { recursive: true });
});

/** The only row of a query on an original file, as the view `archive`. */
async function queryFile(name: string, sql: string): Promise<Record<string, number>> {
  await db.run(`create or replace view archive as from read_parquet(${sqlText(realData(name))})`);
  const [row] = await db.query(sql);
  return row as Record<string, number>;
}

const SHARES = `
  select
    count(*)::int as calls,
    count(*) filter (evidence = 'observed_actual')::int as observed,
    count(*) filter (if(event = 'departure', departure_is_cancelled, arrival_is_cancelled))::int as cancelled,
    count(*) filter (delay_seconds < 330)::int as on_time,
    sum(delay_seconds)::double as delay_sum
  from stop_events`;

async function listShares(source: string, folder = dataDir) {
  const [row] = await queryStopEvents(folder, source, SHARES);
  return row as Record<'calls' | 'observed' | 'cancelled' | 'on_time' | 'delay_sum', number>;
}

describe('half a year of Polish trains', () => {
  const FILE = 'delays/pl_rail_2025-02_2025-08.parquet';
  let outcome: ImportOutcome;
  beforeAll(async () => {
    outcome = await importFile({ dataDir, file: realData(FILE), mapping: 'pl_rail' });
  });

  it('is imported completely, by day', async () => {
    const { rows, days } = await queryFile(
      FILE,
      'select count(*)::int as rows, count(distinct service_date)::int as days from archive',
    );
    expect(rows).toBe(4_845_262);
    expect(outcome.record).toMatchObject({ rowsRead: rows, refused: {}, refusedInDays: {}, rowsOutside: 0 });
    expect(outcome.record.days).toHaveLength(days!);
    expect((await listShares('pl_rail')).calls).toBe(rows);
  });

  it('has the on-time share that a query of the file gives', async () => {
    // Recomputed without the mapping: arrivals, at the first stop that is served departures, and nothing before
    // 2 h early. A trip with a single remaining call counts as cancelled.
    const reported = await queryFile(
      FILE,
      `with trips as (
         select service_date, trip_name, trip_id, min(seq) as first_call, count(*) as calls,
           min(seq) filter (not cancelled) as first_served, count(*) filter (not cancelled) as served
         from archive group by all
       ), calls as (
         select arr_delay_s, if(seq in (first_call, first_served), dep_delay_s, arr_delay_s) as delay,
           cancelled or (served = 1 and calls > 1) as is_off
         from archive join trips
           on archive.service_date = trips.service_date
           and archive.trip_name is not distinct from trips.trip_name
           and archive.trip_id is not distinct from trips.trip_id
       )
       select
         count(*) filter (not is_off and delay >= -7200)::int as observed,
         count(*) filter (is_off)::int as cancelled,
         count(*) filter (not is_off and delay between -7200 and 329)::int as on_time,
         sum(delay) filter (not is_off and delay >= -7200)::double as delay_sum,
         round(100 * avg((arr_delay_s < 330)::int), 1)::double as rough_share
       from calls`,
    );
    const { rough_share, ...counts } = reported;
    const shares = await listShares('pl_rail');
    expect(shares).toMatchObject(counts);
    expect(rough_share).toBe(90.9);
    expect((100 * shares.on_time) / shares.observed).toBeCloseTo(90.85, 2);
  });

  it('does not change when it is imported again', async () => {
    const [{ source, serviceDate } = { source: '', serviceDate: '' }] = await listStopEventDays(dataDir);
    const before = await findStopEventManifest(dataDir, source as never, serviceDate as never);
    const again = await importFile({ dataDir, file: realData(FILE), mapping: 'pl_rail' });
    expect(again.isUnchanged).toBe(true);
    const forced = await importFile({
      dataDir,
      file: realData(FILE),
      mapping: 'pl_rail',
      isForced: true,
      from: serviceDate,
      to: serviceDate,
    });
    expect(forced.record).toMatchObject({ builtDays: 1 });
    expect(await findStopEventManifest(dataDir, source as never, serviceDate as never)).toEqual(before);
  });
});

describe('a week of Hungarian trains', () => {
  const FILE = 'delays/hu_final_2024-12-13_19.parquet';
  const share = (counts: { on_time: number; observed: number }) =>
    Math.round((1000 * counts.on_time) / counts.observed) / 10;

  /** @param known SQL condition for delays that count as known */
  const queryShare = (known: string) =>
    queryFile(
      FILE,
      `with calls as (
         select
           *,
           pos = min(pos) over trip as is_first,
           max(pos) filter (coalesce(arr_delay_min, 0) <> 0 or coalesce(dep_delay_min, 0) <> 0) over trip as last_pos,
           count(*) filter (coalesce(arr_delay_min, 0) <> 0 or coalesce(dep_delay_min, 0) <> 0) over (
             partition by station
           ) as informative,
           count(*) over (partition by station) as station_rows
         from archive
         window trip as (partition by service_date, trip_id)
       ), counted as (
         select *, if(is_first, dep_delay_min, arr_delay_min) * 60 as delay from calls
       )
       select
         count(delay)::int as observed,
         count(*) filter (delay < 330)::int as on_time,
         sum(delay)::double as delay_sum
       from counted
       where ${known}`,
    );

  /** The mapping with another rule of what is unknown; null: none. */
  async function importWith(rule: string | null): Promise<ReturnType<typeof listShares>> {
    const text = await readFile(projectPath('data/lookups/archives/hu_rail.sql'), 'utf8');
    const own = rule
      ? text.replace(/^-- placeholders: .*$/m, `-- placeholders: ${rule}`)
      : text.replaceAll(/^ +\w+ = 0 as \w+_is_placeholder,\n/gm, '');
    expect(own).not.toBe(text);
    const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-history-'));
    try {
      await importFile({ dataDir: folder, file: realData(FILE), mapping: own });
      return await listShares('hu_rail', folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('has 77.2 % on time if zeros of later stops and of foreign stops are unknown', async () => {
    const outcome = await importFile({ dataDir, file: realData(FILE), mapping: 'hu_rail' });
    expect(outcome.record).toMatchObject({ rowsRead: 246_801, refused: {}, refusedInDays: {} });
    const known = '(last_pos is null or pos <= last_pos) and (informative > 0 or station_rows < 10)';
    const shares = await listShares('hu_rail');
    expect(shares).toMatchObject(await queryShare(known));
    expect([shares.calls, share(shares)]).toEqual([246_801, 77.2]);
  });

  it('has 77.7 % if only those of later stops are unknown, and 81 % if zeros are accepted', async () => {
    const behind = await importWith('after_last_other');
    expect(behind).toMatchObject(await queryShare('last_pos is null or pos <= last_pos'));
    expect(share(behind)).toBe(77.7);
    const believed = await importWith(null);
    expect(believed).toMatchObject(await queryShare('true'));
    expect(share(believed)).toBe(81);
  });

  it('has no known delays in Vienna', async () => {
    const rows = await queryStopEvents(
      dataDir,
      'hu_rail',
      `select evidence, count(*)::int as n from stop_events where stop_name = 'Wien Hbf' group by all`,
    );
    expect(rows).toEqual([{ evidence: 'unknown', n: 202 }]);
  });

  it('has the first stop of each trip on its service date', async () => {
    const [row] = await queryStopEvents(
      dataDir,
      'hu_rail',
      `with calls as (
         select scheduled_time, lead(scheduled_time) over (partition by service_date, trip_id order by position) as next
         from stop_events
       )
       select count(*) filter (scheduled_time > next + interval 12 hours)::int as n from calls`,
    );
    expect(row).toEqual({ n: 0 });
  });

  it('uses the newest snapshot of a call', async () => {
    const file = 'delays/hu_snapshots_2024-12-13_19.parquet';
    const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-history-'));
    try {
      const { record } = await importFile({ dataDir: folder, file: realData(file), mapping: 'hu_rail' });
      const reported = await queryFile(
        file,
        `with newest as (
           select
             arg_max_null(arr_delay_min, req_utc) as arr, arg_max_null(dep_delay_min, req_utc) as dep, pos,
             pos = min(pos) over (partition by service_date, trip_id) as is_first
           from archive
           group by service_date, trip_id, pos
         )
         select
           count(*)::int as calls,
           count(*) filter (if(is_first, dep, arr) <> 0 and if(is_first, dep, arr) < 5.5)::int as nonzero_on_time
         from newest`,
      );
      expect(record.refusedInDays).toEqual({ duplicate: record.rowsRead - reported.calls! });
      const [row] = await queryStopEvents(
        folder,
        'hu_rail',
        `select count(*)::int as calls,
           count(*) filter (delay_seconds <> 0 and delay_seconds < 330)::int as nonzero_on_time from stop_events`,
      );
      expect(row).toEqual(reported);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
