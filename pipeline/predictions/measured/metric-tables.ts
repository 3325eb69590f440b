/** A column: its type, and one sentence of description. */
type ColumnType = 'DATE' | 'VARCHAR' | 'INTEGER' | 'DOUBLE' | 'TIMESTAMP WITH TIME ZONE';
type Columns = Readonly<Record<string, readonly [type: ColumnType, about: string]>>;

const ofSource = {
  service_date: ['DATE', 'The day that the trips belong to.'],
  source: ['VARCHAR', 'The source that observed them, whose model made the predictions.'],
} as const satisfies Columns;

const ofDay = {
  ...ofSource,
  pairs_of: ['VARCHAR', '`all` that were forecast; `toldBySource`: those with a forecast of the source itself.'],
  unit: ['VARCHAR', '`raw` seconds, or `wholeMinutes`: all delays floored to the minute.'],
} as const satisfies Columns;

/**
 * Marts of the accuracy of predictions, written by `evaluate-predictions`. A pair is a prediction of one later arrival,
 * or of one change.
 */
export const metricTables = {
  prediction_daily: {
    about: 'Errors of forecasts, by day, horizon and forecaster.',
    columns: {
      ...ofDay,
      slice: [
        'VARCHAR',
        'A range of the planned time from the observed departure to the arrival; or `all`, or those that were late.',
      ],
      forecaster: [
        'VARCHAR',
        '`ours`; `persistence`: the delay stays; `schedule`: no delay; `source`: the last forecast of the source by then.',
      ],
      pairs: ['INTEGER', 'How many.'],
      mean_error_seconds: ['DOUBLE', 'Mean absolute error; null without pairs.'],
      against_persistence: ['DOUBLE', 'Error relative to that of persistence, minus 1: -0.3 is 30 % better.'],
      covered: ['DOUBLE', 'Share of arrivals within the interval from p10 to p90; null without intervals.'],
      mean_width_seconds: ['DOUBLE', 'Width of the intervals.'],
      winkler_seconds: ['DOUBLE', 'Width plus ten times the distance of a miss.'],
    },
  },
  prediction_classes_daily: {
    about: 'Confidence of predictions and their accuracy by confidence; horizons of at most an hour.',
    columns: {
      ...ofDay,
      confidence: ['VARCHAR', '`high`: at most 120 s wide; `medium`: at most 300 s; `none`: wider, and not published.'],
      pairs: ['INTEGER', 'Pairs of the class.'],
      share: ['DOUBLE', 'Share of the pairs.'],
      covered: ['DOUBLE', 'Share of the class within the interval from p10 to p90.'],
      within_60: ['DOUBLE', 'Share of the class that was off by at most 60 s.'],
      within_120: ['DOUBLE', 'By at most 120 s.'],
      within_180: ['DOUBLE', 'By at most 180 s.'],
    },
  },
  transfer_predictions: {
    about:
      'Probabilities that transfers are made, and how many were: transfers of 3 to 20 minutes at one station (a sample), seen 60, 30, 15 and 5 minutes before the planned arrival. The Brier score is the sum of `squared_error_sum` divided by that of `pairs`.',
    columns: {
      ...ofSource,
      minutes_before: ['INTEGER', 'From the instant of the estimate to the planned arrival.'],
      status: [
        'VARCHAR',
        '`measured`; or why not: `cancelled` (a call of the two), `not_observed` (an event of the two), `not_estimated` (nothing was known of either vehicle).',
      ],
      method: [
        'VARCHAR',
        '`learnt`: by the model of transfers; `independent`: from the two delay forecasts. Null unless measured.',
      ],
      probability_from: [
        'VARCHAR',
        '`live`: something was known of both vehicles; `history`: one was known from past days alone. Null unless measured.',
      ],
      bin: ['INTEGER', 'Tenth of the probability, 0 to 9. Null unless measured.'],
      pairs: ['INTEGER', 'How many.'],
      held: ['INTEGER', 'Those that were held: 2 minutes or more between the observed times. Null unless measured.'],
      probability_sum: ['DOUBLE', 'Sum of the probabilities. Null unless measured.'],
      squared_error_sum: ['DOUBLE', 'Sum of the squares of probability minus outcome. Null unless measured.'],
    },
  },
  prediction_examples: {
    about:
      'Forecasts of a day, one by one: for each a row per call of its trip, with what was known, forecast and observed. A random sample that is the same every time.',
    columns: {
      ...ofSource,
      example: ['INTEGER', 'Number of the forecast on this day, from 1.'],
      trip_id: ['VARCHAR', 'As in the stop events.'],
      line: ['VARCHAR', 'Line label; null where unknown.'],
      direction: ['VARCHAR', 'Headsign; null where unknown.'],
      made_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. Time of the forecast.'],
      model: ['VARCHAR', 'The model of the forecast.'],
      from_position: ['INTEGER', 'Position of the last observed call: those up to it were known.'],
      observed_at: ['TIMESTAMP WITH TIME ZONE', 'UTC. Time of that observation.'],
      current_delay_seconds: ['INTEGER', 'Delay there, which is also the forecast of persistence.'],
      position: ['INTEGER', 'Position of the call of this row.'],
      stop_name: ['VARCHAR', 'Its stop; null where unknown.'],
      scheduled_time: ['TIMESTAMP WITH TIME ZONE', 'UTC. Its scheduled arrival, at the first call its departure.'],
      delay_seconds: ['INTEGER', 'What came: the observed delay; null where it was not observed.'],
      low_seconds: ['INTEGER', 'p10 of the forecast; null for calls that were over.'],
      median_seconds: ['INTEGER', 'p50.'],
      high_seconds: ['INTEGER', 'p90.'],
      reported_delay_seconds: ['INTEGER', 'The last forecast of the source itself by then; null without one.'],
      train_runs: ['INTEGER', 'Past trips of this train with data between the two positions.'],
      train_change_seconds: ['DOUBLE', 'Change of delay between them in the most similar of these.'],
      pattern_runs: ['INTEGER', 'Past trips of the route with the same stops.'],
      pattern_change_seconds: ['DOUBLE', 'The same in these trips.'],
      leg_values: ['INTEGER', 'Past passages over the leg in between that has the fewest.'],
      legs_change_seconds: ['DOUBLE', 'Change of delay according to the usual times of the legs.'],
    },
  },
} as const satisfies Record<string, { readonly about: string; readonly columns: Columns }>;

export type MetricTable = keyof typeof metricTables;
/** A row, by column. */
export type MetricRow = Readonly<Record<string, string | number | null>>;
