import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openDuckdb, sqlText } from '../../pipeline/effects/duckdb.ts';
import { stopEventFile, writeStopEventManifest } from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import {
  stopEventColumns,
  stopEventOrder,
  stopEventPacking,
} from '../../pipeline/history/stop-events/stop-event-table.ts';
import { type SourceId, toSourceId } from '../../pipeline/model/ids.ts';
import { type ServiceDate, toEpochDay } from '../../pipeline/model/service-time.ts';
import { type HistorySize, listDays } from './history-lake.ts';

/** The day that every country has: the last of its month, so that queries can cover a whole month. */
export const EUROPE_DAY = '2026-02-28' as ServiceDate;
/** Generated days that are replayed under other names: a working day, and the day before. */
export const replayedSize: HistorySize = { name: 'two days', days: 2 };
/** A generated day has half a million calls, Austria 2.5 million. Each region is a source. */
export const REGIONS = 5;
/** Time shift between neighbouring regions, so that no two files have the same times. */
const SHIFT_MINUTES = 7;

export interface CountryLake {
  readonly calls: number;
  readonly bytes: number;
}

export interface CountryInput {
  /** Data folder of the generated days. */
  readonly lake: string;
  readonly dataDir: string;
  readonly country: number;
}

/**
 * Writes one day of a country of Austria's size: generated days of `lake` with unique ids, names, places and shifted times,
 * so that files compress like those of real sources and share no values.
 */
export async function writeCountry({ lake, dataDir, country }: CountryInput): Promise<CountryLake> {
  const days = listDays(replayedSize);
  const db = await openDuckdb({ memoryLimit: '2GB', threads: 2, temporaryFolder: path.join(dataDir, 'tmp', 'spill') });
  const written = { calls: 0, bytes: 0 };
  try {
    for (let region = 0; region < REGIONS; region++) {
      const number = country * REGIONS + region;
      const day = days[number % days.length]!;
      const from = stopEventFile(lake, toSourceId('live'), day);
      const source = toSourceId(`c${country}r${region}`);
      const file = stopEventFile(dataDir, source, EUROPE_DAY);
      await mkdir(path.dirname(file), { recursive: true });
      const select = selectReplayed(from, number, toEpochDay(EUROPE_DAY) - toEpochDay(day));
      await db.run(`copy (from (${select}) order by ${stopEventOrder}) to ${sqlText(file)} (${stopEventPacking})`);
      const calls = await describeRegion(db, dataDir, source, file);
      written.calls += calls;
      written.bytes += (await stat(file)).size;
    }
  } finally {
    db.close();
  }
  return written;
}

function selectReplayed(file: string, number: number, daysLater: number): string {
  const prefix = (column: string) => `concat(${sqlText(`n${number}:`)}, ${column})`;
  const shift = `to_minutes(${daysLater * 24 * 60 + SHIFT_MINUTES * (number % 60)})`;
  const replaced: Partial<Record<keyof typeof stopEventColumns, string>> = {
    trip_id: prefix('trip_id'),
    trip_key: `(hash(trip_key, ${number}) >> 1)::bigint`,
    route_id: prefix('route_id'),
    line_label: `concat(line_label, '.', ${number})`,
    operator: `concat(operator, ' ', ${number})`,
    direction: `concat(direction, ' ', ${number})`,
    stop_id: prefix('stop_id'),
    stop_name: `concat(stop_name, ' ', ${number})`,
    station_id: prefix('station_id'),
    lat: `lat + ${number % 20}`,
    lon: `lon + ${number % 30}`,
    scheduled_time: `scheduled_time + ${shift}`,
    scheduled_departure_time: `scheduled_departure_time + ${shift}`,
    observed_time: `observed_time + ${shift}`,
    raw_id: `replace(raw_id, 'source=live', 'source=c${number}')`,
  };
  const columns = Object.entries(stopEventColumns)
    .filter(([name]) => name !== 'is_counted')
    .map(([name, [type]]) => `cast(${replaced[name as keyof typeof replaced] ?? name} as ${type}) as ${name}`);
  return `select ${columns.join(', ')} from read_parquet(${sqlText(file)}, hive_partitioning = false)`;
}

type Db = Awaited<ReturnType<typeof openDuckdb>>;

async function describeRegion(db: Db, dataDir: string, source: SourceId, file: string): Promise<number> {
  const [row] = await db.query(`
    select count(*)::double as scheduled, count(delay_seconds)::double as observed,
      count(*) filter (where evidence = 'forecast')::double as forecast,
      count(*) filter (where arrival_is_cancelled or departure_is_cancelled)::double as cancelled
    from read_parquet(${sqlText(file)}, hive_partitioning = false)`);
  const { scheduled, observed, forecast, cancelled } = row as Record<string, number>;
  await writeStopEventManifest(dataDir, {
    sourceId: source,
    serviceDate: EUROPE_DAY,
    kind: 'realtime',
    rulesVersion: 1,
    inputs: [],
    rows: scheduled!,
    rowsIn: scheduled!,
    refused: {},
    rowsHash: `replayed as ${source}`,
    counts: { scheduled: scheduled!, observed: observed!, forecast: forecast!, cancelled: cancelled!, added: 0 },
    builtAt: '2026-03-11T04:00:00.000Z',
  });
  return scheduled!;
}
