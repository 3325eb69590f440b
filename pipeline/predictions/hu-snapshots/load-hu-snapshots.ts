import { type Duckdb, readSql, sqlPath, sqlText } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import type { CompanionFiles, EvaluationWindow } from '../layout.ts';
import { buildRunTable, type RunTable } from '../run-table.ts';
import { buildSnapshotTable, type PositionTable, type SnapshotTable } from './snapshot-table.ts';

const POSITION_COLUMNS = 'obs_utc, elvira_id, delay_min, lat, lon';
/** Without a file of positions there are none. */
const NO_POSITIONS = `select null::timestamp as obs_utc, null::varchar as elvira_id, null::double as delay_min,
  null::double as lat, null::double as lon where false`;

/** Reads the snapshots of a window with their plan, what came in the end, and the positions of vehicles. */
export async function loadHuSnapshots(
  db: Duckdb,
  file: string,
  companions: CompanionFiles,
  window: EvaluationWindow,
): Promise<SnapshotTable> {
  const positions = companions.positions.map(sqlPath).join(', ');
  await db.run(`create or replace temp view archive as from read_parquet(${sqlPath(file)});
    create or replace temp view final_archive as from read_parquet(${sqlPath(companions.finals)});
    create or replace temp view position_archive as
      ${positions === '' ? NO_POSITIONS : `select ${POSITION_COLUMNS} from read_parquet([${positions}])`};
    create or replace temp table window_days as
      select date ${sqlText(window.from)} as first_day, date ${sqlText(window.testTo)} as last_day;
    create or replace temp table split_day as select date ${sqlText(window.testFrom)} as day`);
  for (const table of ['hu_rows', 'hu_finals', 'hu_calls', 'hu_polled', 'hu_positions']) {
    await db.run(`create or replace temp table ${table} as ${await readSql(`pipeline/predictions/sql/${table}.sql`)}`);
  }
  const plan = await readPlan(db);
  const table = buildSnapshotTable(
    { ...plan, positions: await readPositions(db, plan.runs.runCount) },
    await readPolled(db),
  );
  await db.run(
    'drop table hu_rows; drop table hu_finals; drop table hu_calls; drop table hu_polled; drop table hu_positions',
  );
  return table;
}

async function readPlan(db: Duckdb): Promise<{ runs: RunTable; isTarget: Uint8Array; truth: Float64Array }> {
  const count = await countRows(db, 'hu_calls');
  const columns = await readColumns(
    db,
    {
      run: ['i32', 'run'],
      serviceDay: ['i32', 'service_day'],
      train: ['i32', 'train'],
      stop: ['i32', 'stop'],
      sequence: ['i32', 'call'],
      scheduled: ['f64', 'scheduled_at'],
      isTarget: ['u8', 'is_target'],
      truth: ['f64', 'truth'],
    },
    'from hu_calls order by call',
    count,
  );
  // One planned moment a call is told, and neither routes nor operators.
  const none = new Int32Array(count);
  const unknown = new Float64Array(count).fill(Number.NaN);
  const runs = buildRunTable({
    ...columns,
    route: none,
    operator: none,
    scheduledArrival: columns.scheduled,
    scheduledDeparture: columns.scheduled,
    arrivalDelay: unknown,
    departureDelay: unknown,
    isInstant: new Uint8Array(count),
  });
  return { runs, isTarget: columns.isTarget, truth: columns.truth };
}

async function readPolled(db: Duckdb) {
  const columns = await readColumns(
    db,
    {
      polledAt: ['f64', 'polled_at'],
      run: ['i32', 'run'],
      call: ['i32', 'call'],
      arrival: ['i32', 'arrival_minutes * 60'],
      departure: ['i32', 'departure_minutes * 60'],
      hasArrival: ['u8', 'has_arr'],
    },
    'from hu_polled order by row',
    await countRows(db, 'hu_polled'),
  );
  return {
    ...columns,
    arrival: Float32Array.from(columns.arrival),
    departure: Float32Array.from(columns.departure),
  };
}

async function readPositions(db: Duckdb, runCount: number): Promise<PositionTable> {
  const { run, ...columns } = await readColumns(
    db,
    {
      run: ['i32', 'run'],
      seenAt: ['f64', 'seen_at'],
      delay: ['f64', 'delay_minutes * 60'],
      latitude: ['f64', 'latitude'],
      longitude: ['f64', 'longitude'],
    },
    'from hu_positions order by run, seen_at',
    await countRows(db, 'hu_positions'),
  );
  const start = new Int32Array(runCount + 1);
  for (const one of run) start[one + 1]!++;
  for (let one = 0; one < runCount; one++) start[one + 1]! += start[one]!;
  return { start, ...columns };
}

async function countRows(db: Duckdb, table: string): Promise<number> {
  const [row] = (await db.query(`select count(*)::integer as rows from ${table}`)) as [{ rows: number }];
  return row.rows;
}
