import path from 'node:path';
import { DuckDBDateValue } from '@duckdb/node-api';
import { openDuckdb, sqlText } from '../../../pipeline/effects/duckdb.ts';
import { listNames } from '../../../pipeline/effects/files.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';
import { type ObservationStore, openObservations } from '../../../pipeline/lake/observations/observation-store.ts';
import { listObservedDates } from '../../../pipeline/lake/observations/partition-files.ts';
import { observationsFolder } from '../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../pipeline/model/ids.ts';
import type { CallObservation, ObservationBatch } from '../../../pipeline/model/observation.ts';
import {
  type EpochDay,
  type Instant,
  parseServiceDate,
  parseTimestamp,
  toEpochDay,
} from '../../../pipeline/model/service-time.ts';

export const live = toSourceId('live');
export const lakeSettings = { memoryLimit: '512MB', threads: 1 };
export const today = '2026-01-15' as Parameters<typeof toEpochDay>[0];

/** Noon of the service date plus some seconds. */
export function at(seconds: number): Instant {
  return (parseTimestamp(`${today}T12:00:00Z`)! + seconds) as Instant;
}

/** By default a forecast of half a minute's delay at the first stop of a trip. */
export function observation(reported: Partial<CallObservation> = {}): CallObservation {
  return {
    tripKey: 7n,
    day: toEpochDay(today),
    tripId: 't7',
    routeId: 'r1',
    lineLabel: 'U1',
    position: 0,
    stopId: 'a',
    event: 'departure',
    channel: 'stop_events',
    scheduledTime: at(0),
    time: at(30),
    evidence: 'forecast',
    isCancelled: false,
    platform: null,
    uncertaintySeconds: null,
    occupancy: null,
    recordedAt: null,
    ...reported,
  };
}

/** An answer this many seconds after noon. */
export function answer(seconds: number, reported: Partial<Omit<ObservationBatch, 'seenAt'>> = {}): ObservationBatch {
  return {
    part: 'trips',
    rawId: `raw-${seconds}`,
    seenAt: at(seconds),
    observations: [],
    ended: [],
    resolved: [],
    ...reported,
  };
}

export function endOf({ tripKey, day }: { tripKey: bigint; day: EpochDay }) {
  return [{ tripKey, day }];
}

export async function openStore(dataDir: string, log = silentLog): Promise<ObservationStore> {
  return openObservations(dataDir, live, lakeSettings, { log });
}

/** A time after the end of all trips. */
export const muchLater = at(30 * 86_400);

/** Files of the table, by their relative paths. */
export async function listParquet(dataDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const date of await listObservedDates(dataDir, live)) {
    const partition = path.join(`source=${live}`, `service_date=${date}`);
    const names = await listNames(path.join(observationsFolder(dataDir), partition));
    files.push(...names.sort().map((name) => path.join(partition, name)));
  }
  return files;
}

/** File names of the table, without the id of their writer. */
export async function listFileNames(dataDir: string): Promise<string[]> {
  return (await listParquet(dataDir)).map((file) => path.basename(file).replace(/-[0-9a-f]{8}-/, '-'));
}

/** Rows of the lake as any reader sees them, sorted; instants as seconds after noon. */
export async function readObservations(dataDir: string, columns: readonly string[]): Promise<unknown[][]> {
  if ((await listParquet(dataDir)).length === 0) return [];
  const db = await openDuckdb({ threads: 1 });
  try {
    const files = sqlText(path.join(observationsFolder(dataDir), '**', '*.parquet'));
    const select = columns.map((name) =>
      /_(time|at)$/.test(name) ? `epoch(${name})::bigint - ${at(0)} as ${name}` : name,
    );
    const rows = await db.query(
      `select ${select.join(', ')} from read_parquet(${files}, hive_partitioning = true, union_by_name = true) order by all`,
    );
    return rows.map((row) => columns.map((name) => toPlain(row[name])));
  } finally {
    db.close();
  }
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof DuckDBDateValue ? value.toString() : value;
}

/** Every row of the lake as `describeRow` writes it, sorted. */
export async function readRows(dataDir: string): Promise<string[]> {
  const columns = ['service_date', 'trip_key', 'position', 'event', 'estimated_time', 'first_seen_at', 'last_seen_at'];
  const rows = await readObservations(dataDir, [...columns, 'raw_id']);
  return rows
    .map(([date, key, position, event, time, first, last, rawId]) => {
      const day = toEpochDay(parseServiceDate(String(date))!);
      const instants = [time, first, last].map((seconds) => at(Number(seconds)));
      return `${day} ${key}.${position}.${event} ${instants[0]} ${instants[1]}-${instants[2]} ${rawId}`;
    })
    .sort();
}
