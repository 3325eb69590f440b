import { selectPresent, toStopEventReading } from '../../lake/observations/former-schema.ts';

/**
 * The columns of the stop events table, beside `source` and `service_date`, which are its folders. One row is one call
 * of one dated trip as one source reported it, after the day is over. Its key within a source and a service date is
 * trip, and position. The counted event of a call is its arrival, at the first stop its departure; where a trip begins
 * late, its first stop is the one where it begins.
 * @see decisions, section 4
 */
export const stopEventColumns = {
  trip_id: [
    'VARCHAR',
    'As in trips.txt, a trip of a frequency with its start appended (`t1 07:30:00`); or the id that the source gives an added or foreign trip.',
  ],
  trip_key: [
    'BIGINT',
    'Key of the trip in references, as in the observations; without a timetable a hash of source and trip id.',
  ],
  route_id: ['VARCHAR', 'As in routes.txt; null where unknown.'],
  line_label: ['VARCHAR', 'Line label as riders know it; null where unknown.'],
  product: ['VARCHAR', 'As in the api: `train`, `sBahn`, `tram` and so on.'],
  operator: ['VARCHAR', 'Name of the agency; null where unknown.'],
  direction: ['VARCHAR', 'Headsign; null where unknown.'],
  trip_number: [
    'VARCHAR',
    'Number of the trip as riders know it, such as `RJX 662`; null where unknown, and in files of before schema 7.',
  ],
  position: [
    'INTEGER',
    'Position of the call in the trip, from 0; added calls of a planned trip follow the planned ones.',
  ],
  stop_id: ['VARCHAR', 'The planned stop, as in stops.txt.'],
  stop_name: ['VARCHAR', 'Its name.'],
  station_id: ['VARCHAR', 'The station it belongs to, as in stops.txt; the stop itself if it has no station.'],
  lat: ['DOUBLE', 'WGS 84; null where unknown.'],
  lon: ['DOUBLE', 'WGS 84; null where unknown.'],
  event: ['VARCHAR', 'Which event counts: `arrival`; `departure` at the first stop, also where the trip begins late.'],
  scheduled_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. Of the counted event; null for an added call without a plan.'],
  scheduled_departure_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. Null at the last stop.'],
  utc_offset_minutes: ['SMALLINT', 'Local time minus UTC at `scheduled_time`.'],
  forecast_delay_seconds: ['INTEGER', 'The last forecast before the call, minus the scheduled time; null without one.'],
  forecast_age_seconds: ['INTEGER', 'How long before the call that forecast was last reported.'],
  is_final_forecast: [
    'BOOLEAN',
    'Whether that forecast was last reported less than 60 seconds before its own time, and a later call of the trip after it: a good estimate of what happened, but no observation. False for archives and in files of before schema 7.',
  ],
  observed_time: [
    'TIMESTAMP WITH TIME ZONE',
    'UTC. When the counted event happened: as the source reported, or derived from positions.',
  ],
  delay_seconds: ['INTEGER', 'Observed minus scheduled; early is negative; null without an observation.'],
  departure_delay_seconds: ['INTEGER', 'The same of the departure, where that was observed too.'],
  uncertainty_seconds: [
    'INTEGER',
    'Largest error of `observed_time` where it is derived from positions of the vehicle; null where the source reported it.',
  ],
  occupancy: [
    'VARCHAR',
    'How full the vehicle departed, with the names of GTFS-Realtime, such as `FEW_SEATS_AVAILABLE`: as the vehicle reported, else as last reported for the call. Null where it is not known, at the last stop, and in files of before schema 6.',
  ],
  evidence: ['VARCHAR', '`unknown`, `forecast` or `observed_actual`: the best evidence for the counted event.'],
  arrival_is_cancelled: [
    'BOOLEAN',
    'The arrival does not take place: by explicit report, or because the trip begins here instead of earlier. False at the first stop.',
  ],
  departure_is_cancelled: [
    'BOOLEAN',
    'The departure does not take place: by explicit report, or because the trip ends here early. False at the last stop.',
  ],
  is_replaced: [
    'BOOLEAN',
    'Cancelled, and the trip that replaces its trip stops at the station within 15 minutes. False for archives.',
  ],
  is_added: ['BOOLEAN', 'In no timetable: an extra trip, or an extra call.'],
  is_counted: [
    'BOOLEAN',
    'Whether the call counts for all sources together, each call once: planned, and no other source has better evidence of it. Right once `build-marts` has seen the day as it stands, which `counted_calls` checks.',
  ],
  platform: ['VARCHAR', 'As last announced; null where none was.'],
  is_platform_changed: ['BOOLEAN', 'Whether it differs from the planned one; null where one of the two is unknown.'],
  feed_source: ['VARCHAR', 'The timetable behind the row; null for an archive from elsewhere without one.'],
  feed_version: ['VARCHAR', 'Its published version.'],
  raw_id: ['VARCHAR', 'The answer or file that decided the row: a path below `lake/raw`; null without a report.'],
  rules_version: ['SMALLINT', 'Version of the rules that produced the row.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;

/** Whether the counted event of a call is cancelled, as an SQL expression that every engine takes. */
export const isCallCancelled =
  "(case when event = 'departure' then departure_is_cancelled else arrival_is_cancelled end)";

/** Rows of stop event files of any schema, in the present columns. @param relation of the files, by name */
export function selectStopEvents(relation: string): string {
  return selectPresent(relation, toStopEventReading(stopEventColumns));
}

/** Sort order in every file. */
export const stopEventOrder = 'line_label, route_id, direction, trip_id, position';

/**
 * Packing of the files. Stops, their names and coordinates repeat trip by trip: in plain bytes zstd finds the
 * repetition, in indexes of bit-packed dictionaries it does not. A national day takes 13 bytes a row with these
 * options, 17 with DuckDB's defaults.
 */
export const stopEventPacking = 'format parquet, compression zstd, row_group_size 1000000, dictionary_size_limit 3000';
