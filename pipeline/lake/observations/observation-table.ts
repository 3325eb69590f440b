/**
 * The columns of the observations table, except `source` and `service_date`, which are in the folder names. One row is
 * an explicit report of one event of one call by a source, for as long as it did not change. Its key within a source
 * and a service date is trip, position, event and channel; rows of one key follow each other in time.
 */
export const observationColumns = {
  trip_id: ['VARCHAR', 'As in trips.txt, or as the source names an added trip.'],
  trip_key: [
    'BIGINT',
    'Key of the trip in references: 64 bits of a hash of timetable source and trip id, as a signed number.',
  ],
  route_id: ['VARCHAR', 'As in routes.txt; null where unknown.'],
  line_label: ['VARCHAR', 'What riders call the line; null where unknown.'],
  position: ['INTEGER', 'Position of the call in the trip, from 0.'],
  stop_id: ['VARCHAR', 'Where the vehicle stops: as in stops.txt, or as the source names it.'],
  event: ['VARCHAR', '`arrival` or `departure`.'],
  channel: [
    'VARCHAR',
    '`stop_events`: reported for the call; `positions`: a vehicle was seen standing there, or passed it, see `uncertainty_seconds`.',
  ],
  scheduled_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. As scheduled; null for an added call without a schedule.'],
  estimated_time: [
    'TIMESTAMP WITH TIME ZONE',
    'UTC. A forecast, even when it has passed: it never becomes an observation. With evidence `unknown`: derived from positions, and too uncertain to count.',
  ],
  observed_time: [
    'TIMESTAMP WITH TIME ZONE',
    'UTC. Reported by the source as observed, or derived from positions. Never together with a forecast.',
  ],
  delay_seconds: ['INTEGER', 'Estimated or observed minus scheduled; early is negative; null where one is missing.'],
  evidence: ['VARCHAR', '`unknown`, `forecast` or `observed_actual`.'],
  is_cancelled: ['BOOLEAN', 'Whether this event is cancelled: by explicit report, of the trip, the call or the event.'],
  platform: ['VARCHAR', 'As announced; null where none is announced.'],
  uncertainty_seconds: [
    'INTEGER',
    'Largest error of a time that is derived from positions; null for a time that the source reported, and in files of before schema 5.',
  ],
  occupancy: [
    'VARCHAR',
    'How full the vehicle departs, with the names of GTFS-Realtime, such as `FEW_SEATS_AVAILABLE`: of departures; for the channel `positions` as the vehicle reported once it had departed. Null where it is not known, and in files of before schema 6.',
  ],
  recorded_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When the publisher knew; null where it is not reported.'],
  first_seen_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. The first answer with this report.'],
  last_seen_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. The last answer with this report.'],
  raw_id: ['VARCHAR', 'The raw answer behind `first_seen_at`: a path below `lake/raw`.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;

/** Sort order of rows in every file, which keeps the rows of a trip together. */
export const observationOrder = 'trip_id, trip_key, position, event, channel, first_seen_at, last_seen_at, raw_id';
