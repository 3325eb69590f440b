/**
 * The columns of the predictions table, beside `source` and `service_date`, which its folders say. One row is what was
 * forecast of one later arrival of a trip under way when something new was observed of it. Delays are
 * seconds; early is negative.
 */
export const predictionColumns = {
  trip_id: ['VARCHAR', 'As in the stop events.'],
  made_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When it was forecast: nothing that came later is in it.'],
  model: ['VARCHAR', 'The model that did: a folder of `lake/prediction_models`.'],
  from_position: ['USMALLINT', 'Position of the call that was observed last.'],
  observed_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. When it was.'],
  is_from_position: ['BOOLEAN', 'A vehicle was seen standing there; else it was told.'],
  current_delay_seconds: ['INTEGER', 'Delay there: what would be forecast by assuming that it stays.'],
  position: ['USMALLINT', 'Position of the call whose arrival is forecast.'],
  low_seconds: ['INTEGER', 'p10: one arrival in ten is to have less delay.'],
  median_seconds: ['INTEGER', 'p50.'],
  high_seconds: ['INTEGER', 'p90.'],
  train_runs: [
    'INTEGER',
    'Past runs of this train (route, stops and planned departure) that say something of this way.',
  ],
  train_change_seconds: [
    'FLOAT',
    'How the delay changed on the way in those of them that are most like this one; null where none says.',
  ],
  pattern_runs: ['INTEGER', 'Past runs of any trip of the route with the same stops.'],
  pattern_change_seconds: ['FLOAT', 'The same of these.'],
  leg_values: ['INTEGER', 'Past rides over that leg of the way of which least is known.'],
  legs_change_seconds: ['FLOAT', 'What the usual times of the legs would make of the delay.'],
} as const satisfies Record<string, readonly [type: string, about: string]>;
