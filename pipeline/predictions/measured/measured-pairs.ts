import { type Duckdb, readSql, sqlPath } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { type Forecaster, type ForecastTable, type ForecastUnit, OURS, PERSISTENCE } from '../forecast-table.ts';
import { countImplausible, findImplausibleCalls, type ImplausibleCounts } from '../implausible-calls.ts';
import { floorToMinute } from '../run-table.ts';

/** What the source itself last forecast. */
export const TOLD = 'source';

/** Of which pairs figures are: all that were forecast, or those of which the source had a forecast of its own. */
export const pairGroups = ['all', 'toldBySource'] as const;
export type PairGroup = (typeof pairGroups)[number];

/** Files of one source and service date. */
export interface MeasuredFiles {
  readonly predictions: readonly string[];
  readonly stopEvents: string;
  /** Empty where they are not kept. */
  readonly observations: readonly string[];
}

/** The pairs of a day as they were forecast while the service ran; seconds. NaN in `told` where nothing was. */
interface MeasuredPairs {
  readonly truth: Float32Array;
  readonly current: Float32Array;
  readonly horizonSeconds: Float32Array;
  readonly secondsToArrival: Float32Array;
  readonly low: Float32Array;
  readonly median: Float32Array;
  readonly high: Float32Array;
  readonly told: Float32Array;
  /** Calls of the day that no pair begins or ends at. */
  readonly implausible: ImplausibleCounts;
}

export async function loadMeasuredPairs(db: Duckdb, files: MeasuredFiles): Promise<MeasuredPairs> {
  const list = (names: readonly string[]) =>
    `read_parquet([${names.map(sqlPath).join(', ')}], union_by_name = true, hive_partitioning = false)`;
  const observations =
    files.observations.length > 0
      ? `from ${list(files.observations)}`
      : `select null::varchar as trip_id, null::integer as position, null::timestamptz as first_seen_at,
         null::varchar as evidence, null::integer as delay_seconds, null::varchar as event, null::varchar as channel
         limit 0`;
  await db.run(`
    create or replace temp view logged_predictions as from ${list(files.predictions)};
    create or replace temp view day_stop_events as from ${list([files.stopEvents])};
    create or replace temp view day_observations as ${observations};
  `);
  const implausible = await listImplausible(db);
  const select = await readSql('pipeline/predictions/sql/measured_pairs.sql');
  await db.run(`create or replace temp table measured_pairs as ${select}`);
  const [{ n }] = (await db.query('select count(*)::integer as n from measured_pairs')) as [{ n: number }];
  const float = (name: string) => ['f32', name] as const;
  const pairs = await readColumns(
    db,
    {
      truth: float('truth'),
      current: float('current'),
      horizonSeconds: float('horizon_seconds'),
      secondsToArrival: float('seconds_to_arrival'),
      low: float('low'),
      median: float('median'),
      high: float('high'),
      told: float('told'),
    },
    'from measured_pairs',
    n,
  );
  await db.run('drop table measured_pairs; drop table implausible_calls');
  return { ...pairs, implausible };
}

/** Leaves the implausible calls of `day_stop_events` in the table `implausible_calls`. @returns how many there are */
async function listImplausible(db: Duckdb): Promise<ImplausibleCounts> {
  await db.run(`create or replace temp table observed_calls as
    ${await readSql('pipeline/predictions/sql/observed_calls.sql')}`);
  const [{ n }] = (await db.query('select count(*)::integer as n from observed_calls')) as [{ n: number }];
  const calls = await readColumns(
    db,
    {
      run: ['i32', 'run'],
      arrivalTime: ['f64', 'arrival_time'],
      departureTime: ['f64', 'departure_time'],
      departureDelay: ['f64', 'departure_delay'],
    },
    'from observed_calls order by place',
    n,
  );
  const found = findImplausibleCalls({
    run: calls.run,
    arrivalTime: (place) => calls.arrivalTime[place]!,
    departureTime: (place) => calls.departureTime[place]!,
    departureDelay: (place) => calls.departureDelay[place]!,
  });
  await db.run('create or replace temp table implausible_places (place integer)');
  await db.insertColumns('implausible_places', [Int32Array.from(found, ({ place }) => place)]);
  await db.run(`
    create or replace temp table implausible_calls as
    select trip_id, position from observed_calls join implausible_places using (place);
    drop table observed_calls; drop table implausible_places;
  `);
  return countImplausible(found);
}

/** The table of forecasts that figures are made of; in whole minutes all delays are the minute that they are in. */
export function toForecastTable(pairs: MeasuredPairs, group: PairGroup, unit: ForecastUnit): ForecastTable {
  const kept = Array.from(pairs.truth.keys()).filter((pair) => group === 'all' || !Number.isNaN(pairs.told[pair]));
  const take = (column: Float32Array) => Float32Array.from(kept, (pair) => column[pair]!);
  const delays = (column: Float32Array) => (unit === 'raw' ? take(column) : take(column).map(floorToMinute));
  const current = delays(pairs.current);
  const only = (name: string, median: Float32Array): Forecaster => ({ name, median, low: null, high: null });
  return {
    unit,
    count: kept.length,
    truth: delays(pairs.truth),
    current,
    horizonSeconds: take(pairs.horizonSeconds),
    secondsToArrival: take(pairs.secondsToArrival),
    forecasters: [
      only('schedule', new Float32Array(kept.length)),
      only(PERSISTENCE, current),
      ...(group === 'toldBySource' ? [only(TOLD, delays(pairs.told))] : []),
      { name: OURS, median: delays(pairs.median), low: delays(pairs.low), high: delays(pairs.high) },
    ],
  };
}
