import { findStopEventManifest, listStopEventDays } from '../../../pipeline/history/stop-events/stop-event-store.ts';
import { archiveFolder, importFile, queryStopEvents, writeArchive } from './imported-world.ts';

/** Delays in minutes, local times of Vienna. */
export const MAPPING = `-- title: made up
-- source: own
-- format: csv
-- zone: Europe/Vienna
-- clock: local

select
    file_row_number,
    day as service_date,
    trip as trip_id,
    line as line_label,
    stop as stop_id,
    stop as stop_name,
    platform as platform,
    lat as lat,
    lon as lon,
    try_cast(seq as integer) - 1 as position,
    arr as arrival_scheduled,
    ad as arrival_delay_minutes,
    'observed_actual' as arrival_evidence,
    null as arrival_is_placeholder,
    dep as departure_scheduled,
    dd as departure_delay_minutes,
    'observed_actual' as departure_evidence,
    null as departure_is_placeholder,
    cancelled::varchar = 'true' as is_cancelled,
    null as skip_code,
    null as recency
from archive
`;

/** The mapping with further properties, e.g. `keep: first`. */
export function withFacts(mapping: string, ...facts: readonly string[]): string {
  return `${facts.map((fact) => `-- ${fact}\n`).join('')}${mapping}`;
}

/** The mapping with other SQL for some of its columns. */
export function withColumns(mapping: string, columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns).reduce((text, [name, sql]) => {
    const changed = text.replace(new RegExp(`^.* as ${name}(,?)$`, 'm'), (_line, end) => `    ${sql} as ${name}${end}`);
    if (changed === text) throw new Error(`the mapping has no other column ${name}`);
    return changed;
  }, mapping);
}

const HEAD = 'day,trip,stop,line,platform,lat,lon,seq,arr,ad,dep,dd,cancelled';

export const at = (time: string, day = '2025-03-28') => (time === '' ? '' : `${day} ${time}:00`);

export interface Call {
  readonly trip?: string;
  readonly day?: string;
  readonly stop: string;
  readonly seq: number | string;
  readonly arr?: string;
  readonly ad?: number | string;
  readonly dep?: string;
  readonly dd?: number | string;
  readonly cancelled?: boolean;
}

export function toLine({
  trip = 't',
  day = '2025-03-28',
  stop,
  seq,
  arr = '',
  ad = '',
  dep = '',
  dd = '',
  ...rest
}: Call) {
  return [day, trip, stop, 'S 1', '', 48.2, 16.3, seq, arr, ad, dep, dd, rest.cancelled ?? false].join(',');
}

export const csv = (calls: readonly Call[]) => `${[HEAD, ...calls.map(toLine)].join('\n')}\n`;

/** A train with four stops that has not reached the last two. */
export const TRAIN: readonly Call[] = [
  { stop: 'A', seq: 1, arr: at('08:00'), ad: 0, dep: at('08:00'), dd: 2 },
  { stop: 'B', seq: 2, arr: at('08:10'), ad: 6, dep: at('08:11'), dd: 5.5 },
  { stop: 'C', seq: 3, arr: at('08:20'), ad: 0, dep: at('08:21'), dd: 0 },
  { stop: 'D', seq: 4, arr: at('08:30'), ad: 0 },
];

export const EVENTS = `
  select trip_id, position, stop_id, event, make_timestamp(epoch_us(scheduled_time))::varchar as scheduled,
    make_timestamp(epoch_us(scheduled_departure_time))::varchar as departs, utc_offset_minutes as utc_offset,
    make_timestamp(epoch_us(observed_time))::varchar as observed,
    delay_seconds as delay, departure_delay_seconds as departure_delay, evidence, arrival_is_cancelled,
    departure_is_cancelled
  from stop_events order by service_date, trip_id, position`;

/** Imports an archive. @returns the rows, and the manifest of its first day */
export async function bringIn(calls: readonly Call[], mapping = MAPPING, sql = EVENTS) {
  const dataDir = await archiveFolder();
  const file = await writeArchive(dataDir, 'days.csv', csv(calls));
  const { record } = await importFile({ dataDir, file, mapping });
  const [day] = await listStopEventDays(dataDir);
  const manifest = day ? await findStopEventManifest(dataDir, day.source, day.serviceDate) : null;
  return { record, manifest, rows: manifest ? await queryStopEvents(dataDir, 'own', sql) : [] };
}
