import { type Duckdb, readSql, sqlPath } from '../../effects/duckdb.ts';
import { readColumns } from '../../effects/read-columns.ts';
import { stopEventFile } from '../../history/stop-events/stop-event-manifest.ts';
import { isCallCancelled, selectStopEvents } from '../../history/stop-events/stop-event-table.ts';
import type { SourceId } from '../../model/ids.ts';
import { type Product, products } from '../../model/product.ts';
import { buildDatedTripTable, type DatedTripTable, withDayStarts } from '../features/dated-trip-table.ts';
import type { ImplausibleCounts } from '../features/implausible-calls.ts';
import { readDatedTripTable } from '../features/read-dated-trip-table.ts';
import { numberTrains } from '../features/train-numbers.ts';
import { type FinalForecasts, type ForecastNoise, UNKNOWN_NOISE, weighForecasts } from './final-forecasts.ts';
import type { LearningDay } from './learning-days.ts';

/** Past trips, and the ids behind their numbers. */
export interface RecordedTrips {
  readonly table: DatedTripTable;
  /** `trip_id`, by trip. */
  readonly trips: readonly string[];
  /** Planned departure of a trip: local clock seconds from the midnight of its service day; by trip. */
  readonly departureOfDay: Int32Array;
  readonly routes: readonly string[];
  /** Of the trips of each route; null where it is unknown. */
  readonly products: readonly (Product | null)[];
  readonly stops: readonly string[];
  /** Number of the station of each stop. */
  readonly stations: Int32Array;
  /** Calls of which only the plan counts. */
  readonly implausible: ImplausibleCounts;
}

interface LoadedTrips extends RecordedTrips {
  /** Final forecasts among the delays; none unless they were requested. */
  readonly forecasts: FinalForecasts;
}

/** Departures and arrivals used as training instants, over all days; more do not improve a model. */
const MAX_INSTANTS = 400_000;

/** The record of a source of which nothing was observed yet. */
export const noRecordedTrips: RecordedTrips = {
  table: buildDatedTripTable({
    datedTrip: new Int32Array(0),
    serviceDay: new Int32Array(0),
    train: new Int32Array(0),
    route: new Int32Array(0),
    operator: new Int32Array(0),
    stop: new Int32Array(0),
    sequence: new Int32Array(0),
    scheduledArrival: new Float64Array(0),
    scheduledDeparture: new Float64Array(0),
    arrivalDelay: new Float64Array(0),
    departureDelay: new Float64Array(0),
    isInstant: new Uint8Array(0),
  }),
  trips: [],
  departureOfDay: new Int32Array(0),
  routes: [],
  products: [],
  stops: [],
  stations: new Int32Array(0),
  implausible: { early_departure: 0, before_previous_event: 0 },
};

/**
 * Reads the stop events of some days of a source.
 * @param usesForecasts whether final forecasts stand in for missing observations; for training only
 */
export async function loadRecordedTrips(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  days: readonly LearningDay[],
  usesForecasts = false,
): Promise<LoadedTrips> {
  const files = days.map(({ serviceDate }) => sqlPath(stopEventFile(dataDir, source, serviceDate)));
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  await db.run(`
    create or replace temp view stop_event_rows as
    select * replace (service_date::date as service_date), ${isCallCancelled} as is_cancelled,
      ${usesForecasts} and is_final_forecast and evidence = 'forecast' as stands_in
    from (${selectStopEvents(`read_parquet([${files.join(', ')}], union_by_name = true, hive_partitioning = true)`)});
    create or replace temp table known_instants as
    select ${Math.ceil(calls / MAX_INSTANTS)}::ubigint as calls;
  `);
  await db.run(await readSql('pipeline/predictions/sql/stop_event_calls.sql'));
  const noise = usesForecasts ? await measureNoise(db) : UNKNOWN_NOISE;
  const { table, implausible } = await readDatedTripTable(db);
  const { isForecast } = await readColumns(
    db,
    { isForecast: ['u8', 'is_forecast'] },
    'from run_calls',
    table.stop.length,
  );
  const { departureOfDay } = await readColumns(
    db,
    { departureOfDay: ['i32', 'departure_of_day'] },
    'from run_names order by number',
    table.datedTripCount,
  );
  const stops = await readNames(db, 'stop_names');
  const { stations } = await readColumns(
    db,
    { stations: ['i32', 'station'] },
    'from stop_names order by number',
    stops.length,
  );
  const { callStart, scheduledDeparture } = table;
  const localTable = withDayStarts(table, (one) => scheduledDeparture[callStart[one]!]! - departureOfDay[one]!);
  const recorded = {
    table: numberTrains(localTable, departureOfDay),
    implausible,
    forecasts: { isForecast, weight: weighForecasts(noise) },
    departureOfDay,
    trips: await readNames(db, 'run_names', 'trip_id'),
    routes: await readNames(db, 'route_names'),
    products: (await readNames(db, 'route_names', 'product')).map(parseProduct),
    stops,
    stations,
  };
  await db.run('drop table run_calls; drop table stop_calls; drop view stop_event_rows');
  return recorded;
}

/** Compares final forecasts with observations where the record has both. */
async function measureNoise(db: Duckdb): Promise<ForecastNoise> {
  const [row] = await db.query(`
    select
      count(*)::double as pairs,
      coalesce(median(abs(forecast_delay_seconds - delay_seconds)), 0)::double as median_seconds
    from stop_event_rows
    where is_final_forecast and evidence = 'observed_actual' and not is_cancelled and not is_added`);
  return { pairs: row!.pairs as number, medianSeconds: row!.median_seconds as number };
}

function parseProduct(name: string): Product | null {
  return products.find((product) => product === name) ?? null;
}

async function readNames(db: Duckdb, table: string, column = 'name'): Promise<string[]> {
  const names: string[] = [];
  await db.streamColumns(`select ${column} from ${table} order by number`, (count, column) => {
    const chunk = column(0);
    for (let row = 0; row < count; row++) names.push(String(chunk.get(row)));
  });
  return names;
}
