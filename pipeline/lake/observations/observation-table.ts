/**
 * The columns of the observations table, beside `source` and `service_date`, which its folders say. One row is what a
 * source said of one event of one call, explicitly, for as long as it said the same. Its key within a source and a
 * service date is trip, position, event and channel; its rows of one key follow each other in time.
 */
export const observationColumns = {
  trip_id: ['VARCHAR', 'As in trips.txt, or as the source names an added trip.'],
  trip_key: [
    'BIGINT',
    'Key of the trip in references: 64 bits of a hash of timetable source and trip id, as a signed number.',
  ],
  route_id: ['VARCHAR', 'As in routes.txt; null where unknown.'],
  line_label: ['VARCHAR', 'What riders call the line; null where unknown.'],
  position: ['USMALLINT', 'Position of the call in the trip, from 0.'],
  stop_id: ['VARCHAR', 'Where the vehicle stops: as in stops.txt, or as the source names it.'],
  event: ['VARCHAR', '`arrival` or `departure`.'],
  channel: ['VARCHAR', '`stop_events`: said of the call; `positions`: a vehicle was seen standing there.'],
  scheduled_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. As planned; null for an added call without a plan.'],
  estimated_time: [
    'TIMESTAMP WITH TIME ZONE',
    'UTC. A forecast, also one that has passed: it never becomes an observation.',
  ],
  observed_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. What happened by the word of the source. Never beside a forecast.'],
  delay_seconds: ['INTEGER', 'Estimated or observed minus scheduled; early is negative; null where one is missing.'],
  evidence: ['VARCHAR', '`unknown`, `forecast` or `observed_actual`.'],
  is_cancelled: ['BOOLEAN', 'By explicit report, of the trip or of the call.'],
  platform: ['VARCHAR', 'As announced; null where nothing was said.'],
  recorded_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When the publisher knew; null where it did not say.'],
  first_seen_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. The first answer that said so.'],
  last_seen_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. The last answer that still said so.'],
  raw_id: ['VARCHAR', 'The raw answer behind `first_seen_at`: a path below `lake/raw`.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;

/** How rows are sorted in every file, so that those of a trip lie together. */
export const observationOrder = 'trip_id, trip_key, position, event, channel, first_seen_at, last_seen_at, raw_id';
