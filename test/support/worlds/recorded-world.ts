import path from 'node:path';
import type { Duckdb } from '../../../pipeline/effects/duckdb.ts';
import { publishStopEvents } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { withEngine } from '../../../pipeline/lake/observations/write-parts.ts';
import { type SourceId, toSourceId } from '../../../pipeline/model/ids.ts';
import { type EpochDay, fromEpochDay, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';

export const RECORDED = toSourceId('live');
export const ENGINE = { memoryLimit: '500MB', threads: 1 };

export const dateOf = (day: number): ServiceDate => fromEpochDay(day as EpochDay);

/** How trips are recorded. */
interface Recording {
  readonly source: SourceId;
  /** `trip_id` of a trip. */
  tripOf(datedTrip: number): string;
  /** Whether the arrival at a call was not observed, and its delay is a final forecast. */
  isForecast(call: number): boolean;
  /** Whether all calls of a trip were cancelled. */
  isCancelled(datedTrip: number): boolean;
  /** `station_id` of a stop. */
  stationOf(stop: number): string;
  /** Local time minus UTC on a service day. */
  offsetMinutes(day: number): number;
}

/**
 * Stores the trips of a table in a lake as stop events of `live`, one partition per service date. Delays that are NaN
 * were not observed.
 * @param lastDay days since 1970; later ones are ignored
 */
export async function recordRuns(
  dataDir: string,
  table: DatedTripTable,
  lastDay: number,
  over: Partial<Recording> = {},
): Promise<void> {
  const recording = {
    source: RECORDED,
    tripOf: (datedTrip: number) => `t${table.train[datedTrip]}`,
    isForecast: () => false,
    isCancelled: () => false,
    stationOf: (stop: number) => `s${stop}`,
    offsetMinutes: () => 0,
    ...over,
  };
  await withEngine(dataDir, ENGINE, async (db, folder) => {
    for (const day of [...new Set(table.serviceDay)].filter((one) => one <= lastDay)) {
      await recordDay(db, { dataDir, folder: path.join(folder, String(day)), table, day, ...recording });
    }
  });
}

interface RecordedDay extends Recording {
  readonly dataDir: string;
  readonly folder: string;
  readonly table: DatedTripTable;
  readonly day: number;
}

async function recordDay(
  db: Duckdb,
  { dataDir, folder, table, day, source, tripOf, isForecast, isCancelled, stationOf, offsetMinutes }: RecordedDay,
): Promise<void> {
  const calls: { datedTrip: number; call: number; position: number; isLast: boolean }[] = [];
  for (let datedTrip = 0; datedTrip < table.datedTripCount; datedTrip++) {
    if (table.serviceDay[datedTrip] !== day) continue;
    const [start, end] = [table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!];
    for (let call = start; call < end; call++)
      calls.push({ datedTrip, call, position: call - start, isLast: call === end - 1 });
  }
  const int = (read: (one: (typeof calls)[number]) => number) => Int32Array.from(calls, read);
  const float = (read: (one: (typeof calls)[number]) => number) => Float64Array.from(calls, read);
  await db.run(`create or replace temp table told_calls (trip varchar, route varchar, stop varchar, station varchar,
    position integer, is_last integer, is_forecast integer, is_cancelled integer, arrival double, departure double, arrival_delay double,
    departure_delay double, offset_minutes integer)`);
  await db.insertColumns('told_calls', [
    calls.map(({ datedTrip }) => tripOf(datedTrip)),
    calls.map(({ datedTrip }) => `r${table.route[datedTrip]}`),
    calls.map(({ call }) => `s${table.stop[call]}`),
    calls.map(({ call }) => stationOf(table.stop[call]!)),
    int(({ position }) => position),
    int(({ isLast }) => (isLast ? 1 : 0)),
    int(({ call }) => (isForecast(call) ? 1 : 0)),
    int(({ datedTrip }) => (isCancelled(datedTrip) ? 1 : 0)),
    float(({ call }) => table.scheduledArrival[call]!),
    float(({ call }) => table.scheduledDeparture[call]!),
    float(({ call }) => table.arrivalDelay[call]!),
    float(({ call }) => table.departureDelay[call]!),
    int(() => offsetMinutes(day)),
  ]);
  await publishStopEvents(db, dataDir, folder, SELECT, {
    sourceId: source,
    serviceDate: dateOf(day),
    kind: 'realtime',
    rulesVersion: 1,
    inputs: [],
    rowsIn: calls.length,
    refused: {},
    builtAt: `${dateOf(day)}T23:00:00.000Z`,
  });
}

const SELECT = `
with reported as (
  select
    *,
    position = 0 as is_first,
    if(position = 0, departure, arrival) as scheduled,
    if(position > 0 and is_forecast = 1, 'nan'::double, if(position = 0, departure_delay, arrival_delay)) as delay,
    if(position > 0 and is_forecast = 1, arrival_delay, 'nan'::double) as forecast
  from told_calls
)
select
  trip as trip_id, (hash(trip) >> 1)::bigint as trip_key, route as route_id, route as line_label, 'train' as product,
  'Bahn' as operator, 'Dorf' as direction, null as trip_number, position, stop as stop_id, stop as stop_name, station as station_id,
  null as lat, null as lon, if(is_first, 'departure', 'arrival') as event,
  make_timestamp((scheduled * 1e6)::bigint) as scheduled_time,
  if(is_last = 1, null, make_timestamp((departure * 1e6)::bigint)) as scheduled_departure_time,
  offset_minutes as utc_offset_minutes, if(isnan(forecast), null, forecast)::integer as forecast_delay_seconds,
  null as forecast_age_seconds, not isnan(forecast) as is_final_forecast,
  if(isnan(delay), null, make_timestamp(((scheduled + delay) * 1e6)::bigint)) as observed_time,
  if(isnan(delay), null, delay)::integer as delay_seconds,
  if(isnan(departure_delay) or is_last = 1, null, departure_delay)::integer as departure_delay_seconds,
  null as uncertainty_seconds,
  null as occupancy,
  case when not isnan(delay) then 'observed_actual' when not isnan(forecast) then 'forecast' else 'unknown' end as evidence,
  is_cancelled = 1 and not is_first as arrival_is_cancelled, is_cancelled = 1 and is_last = 0 as departure_is_cancelled,
  false as is_replaced, false as is_added, null as platform, null as is_platform_changed,
  'city' as feed_source, 'v1' as feed_version, null as raw_id, 1 as rules_version
from reported`;
