/** A column: its type, and one sentence. */
type Columns = Readonly<Record<string, readonly [type: 'DATE' | 'VARCHAR' | 'UINTEGER' | 'DOUBLE', about: string]>>;

const ofDay = {
  service_date: ['DATE', 'The day that the trips belong to.'],
  source: ['VARCHAR', 'Who observed them; its model forecast.'],
  pairs_of: [
    'VARCHAR',
    '`all` that were forecast; `toldBySource`: those of which the source had a forecast of its own.',
  ],
  unit: ['VARCHAR', '`raw` seconds, or `wholeMinutes`: all delays replaced by the minute they are in.'],
} as const satisfies Columns;

/** Marts of how good predictions were, which `evaluate-predictions` keeps. A pair is a prediction of one later arrival. */
export const figureTables = {
  prediction_daily: {
    about: 'How far forecasts were off, by day, horizon and forecaster.',
    columns: {
      ...ofDay,
      slice: [
        'VARCHAR',
        'A horizon, by plan from the observed departure to the arrival; or `all`, or those that were late.',
      ],
      forecaster: [
        'VARCHAR',
        '`ours`; `persistence`: the delay stays; `schedule`: there is none; `source`: what the source last forecast by then.',
      ],
      pairs: ['UINTEGER', 'How many.'],
      mean_error_seconds: ['DOUBLE', 'Mean absolute error; null without pairs.'],
      against_persistence: ['DOUBLE', 'Error relative to that of persistence, minus 1: -0.3 is 30 % better.'],
      covered: ['DOUBLE', 'Share of arrivals within the interval from p10 to p90; null where none is told.'],
      mean_width_seconds: ['DOUBLE', 'Width of the intervals.'],
      winkler_seconds: ['DOUBLE', 'Width, and ten times the distance of what was missed.'],
    },
  },
  prediction_classes_daily: {
    about: 'How sure predictions were, and how right they were then; horizons of at most an hour.',
    columns: {
      ...ofDay,
      confidence: ['VARCHAR', '`high`: at most 120 s wide; `medium`: at most 300 s; `none`: wider, and not published.'],
      share: ['DOUBLE', 'Part of the pairs.'],
      covered: ['DOUBLE', 'Share of the class that came within the interval from p10 to p90.'],
      within_60: ['DOUBLE', 'Share of the class that was off by at most 60 s.'],
      within_120: ['DOUBLE', 'By at most 120 s.'],
      within_180: ['DOUBLE', 'By at most 180 s.'],
    },
  },
} as const satisfies Record<string, { readonly about: string; readonly columns: Columns }>;

export type FigureTable = keyof typeof figureTables;
/** A row, by column. */
export type FigureRow = Readonly<Record<string, string | number | null>>;
