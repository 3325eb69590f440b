/** Columns by name: type, and a description of one sentence. */
type Columns = Readonly<Record<string, readonly [type: string, about: string]>>;

/** One mart: its rows, its columns, and the layout of its files. */
export interface MartTable {
  /** Description of one row. */
  readonly about: string;
  readonly columns: Columns;
  /** Primary key; a check of each day finds keys of several rows. */
  readonly key: readonly string[];
  /** Sort order in every file, most selective columns of queries first. The rest of the key follows. */
  readonly order: readonly string[];
  /** Rows per row group, which readers read or skip as a whole. */
  readonly rowGroupSize: number;
  /** Marts with the same counts, summed by the columns that are in both keys; a check of each day compares them. */
  readonly equals?: readonly string[];
  /** Built for a month as a whole; the others are built day by day. */
  readonly isMonthly?: true;
}

const of = {
  service_date: ['DATE', 'The day that the trips belong to: a call at 25:30 counts to the day its trip began.'],
  source: ['VARCHAR', "The reporting source; `'*'`: all sources together, each call once, by the best evidence."],
  line: ['VARCHAR', "Line label as riders know it; `''` where unknown."],
  product: ['VARCHAR', "As in the api: `train`, `sBahn`, `tram` and so on; `''` where unknown."],
  operator: ['VARCHAR', "Name of the agency; `''` where unknown."],
} as const satisfies Columns;

/** Meaning of the counts: one row for each configured definition, side by side. */
const definition = {
  on_time_max_delay_seconds: ['INTEGER', 'On time is a delay below this.'],
  late_min_delay_seconds: ['INTEGER', '`late10` is a delay of this or more.'],
  early_min_seconds: ['INTEGER', '`early` is a delay of this or less; negative.'],
  evidence: [
    'VARCHAR',
    'What counts as observed: `observed_actual` alone, or, where nothing was observed, `last_forecast` (final forecasts) or `forecast` (the last forecast of any age).',
  ],
  rules_version: ['SMALLINT', 'Version of the rules that produced the row.'],
} as const satisfies Columns;

const counts = {
  scheduled: ['INTEGER', 'Planned calls: observed, cancelled and missing together.'],
  observed: ['INTEGER', 'Calls with a delay by the evidence of the definition.'],
  derived: ['INTEGER', 'Observed, with a time derived from positions of the vehicle.'],
  forecasts: ['INTEGER', 'Counted as observed by a forecast; 0 where `evidence` is `observed_actual`.'],
  on_time: ['INTEGER', 'Observed with a delay below `on_time_max_delay_seconds`, early ones among them.'],
  early: ['INTEGER', 'Observed with a delay of `early_min_seconds` or less.'],
  late: ['INTEGER', 'Observed and not on time.'],
  late10: ['INTEGER', 'Observed with a delay of `late_min_delay_seconds` or more.'],
  cancelled: ['INTEGER', 'Cancelled: by explicit report, and what follows from it for the same trip.'],
  replaced: ['INTEGER', 'Cancelled, and served by the trip that replaces their trip; among `cancelled`.'],
  missing: ['INTEGER', 'Neither observed nor cancelled.'],
  delay_sum_seconds: ['BIGINT', 'Sum of the delays of the observed; early ones are negative.'],
} as const satisfies Columns;

const place = {
  feed_source: ['VARCHAR', "The timetable of the ids; `''` for an archive from elsewhere without one."],
  station_id: ['VARCHAR', 'As in stops.txt: the station, or the stop itself if it has none.'],
} as const satisfies Columns;

const transferCounts = {
  planned: ['INTEGER', 'Transfers that were possible by the timetable.'],
  observed: ['INTEGER', 'Transfers whose arrival was observed, and whose departure was observed or cancelled.'],
  missed: ['INTEGER', 'Observed transfers that were not possible: the vehicle had left, or did not run.'],
  cancelled: ['INTEGER', 'Missed transfers whose departure was cancelled.'],
} as const satisfies Columns;

const definitionNames = Object.keys(definition);

/** Counts of calls, in every mart that has them. */
export const countColumns = Object.keys(counts);

/**
 * Every mart, by the name of its folder and of its SQL file. A day's marts are built in this order, so one that selects
 * from another comes after it.
 */
export const martTables = {
  punctuality_cube: {
    about: 'Planned calls by day, source, line, product, operator, weekday and hour, with their delays by the minute.',
    columns: {
      ...of,
      dow: ['TINYINT', 'Weekday of the scheduled local time, 1 is Monday.'],
      hour: ['TINYINT', 'Hour of the scheduled local time, from 0.'],
      ...definition,
      ...counts,
      delay_histogram: [
        'STRUCT(delay_minutes SMALLINT, events INTEGER)[]',
        'The observed by whole minutes of delay, rounded down, in ascending order.',
      ],
    },
    key: ['service_date', 'source', 'line', 'product', 'operator', 'dow', 'hour', ...definitionNames],
    order: ['source', 'line', 'service_date', 'dow', 'hour'],
    rowGroupSize: 61_440,
  },
  operator_hourly: {
    about: 'Planned calls by day, source, operator, weekday and hour, over all lines of the operator.',
    columns: {
      service_date: of.service_date,
      source: of.source,
      operator: of.operator,
      dow: ['TINYINT', 'Weekday of the scheduled local time, 1 is Monday.'],
      hour: ['TINYINT', 'Hour of the scheduled local time, from 0.'],
      ...definition,
      ...counts,
    },
    key: ['service_date', 'source', 'operator', 'dow', 'hour', ...definitionNames],
    equals: ['line_daily'],
    order: ['source', 'operator', 'service_date', 'dow', 'hour'],
    rowGroupSize: 24_576,
  },
  network_hourly: {
    about: 'Planned calls by day, source, weekday and hour, over all lines.',
    columns: {
      service_date: of.service_date,
      source: of.source,
      dow: ['TINYINT', 'Weekday of the scheduled local time, 1 is Monday.'],
      hour: ['TINYINT', 'Hour of the scheduled local time, from 0.'],
      ...definition,
      ...counts,
    },
    key: ['service_date', 'source', 'dow', 'hour', ...definitionNames],
    equals: ['line_daily'],
    order: ['source', 'service_date', 'dow', 'hour'],
    rowGroupSize: 61_440,
  },
  line_daily: {
    about: 'Planned calls by day, source, line, product and operator.',
    columns: {
      ...of,
      ...definition,
      ...counts,
      p50_delay_seconds: ['INTEGER', 'Half of the observed had at most this delay; null where none was observed.'],
      p90_delay_seconds: ['INTEGER', 'Nine in ten of the observed had at most this delay.'],
    },
    key: ['service_date', 'source', 'line', 'product', 'operator', ...definitionNames],
    equals: ['punctuality_cube', 'stop_daily'],
    order: ['source', 'line', 'service_date'],
    rowGroupSize: 24_576,
  },
  stop_daily: {
    about: 'Planned calls by day, source, line, product, operator and stop.',
    columns: {
      ...of,
      feed_source: place.feed_source,
      stop_id: ['VARCHAR', 'The planned stop, as in stops.txt.'],
      stop_name: ['VARCHAR', 'Its name; null where unknown.'],
      station_id: place.station_id,
      ...definition,
      ...counts,
      hours: [
        'STRUCT(dow TINYINT, "hour" TINYINT, events INTEGER, delay_sum_seconds BIGINT)[]',
        'The observed by weekday and hour of the scheduled local time, in ascending order.',
      ],
    },
    key: ['service_date', 'source', 'line', 'product', 'operator', 'feed_source', 'stop_id', ...definitionNames],
    order: ['source', 'feed_source', 'stop_id', 'line', 'service_date'],
    rowGroupSize: 61_440,
  },
  trip_daily: {
    about: 'Dated trips that have a number, such as `RJX 662`, by day, over all sources together.',
    columns: {
      service_date: of.service_date,
      source: [
        'VARCHAR',
        "`'*'`: all sources together, each call once; for an archive without a timetable, its source.",
      ],
      feed_source: place.feed_source,
      trip_id: ['VARCHAR', 'As in the stop events.'],
      trip_number: ['VARCHAR', 'Number of the trip as riders know it.'],
      line: of.line,
      product: of.product,
      operator: of.operator,
      first_stop_name: ['VARCHAR', 'Name of its first planned stop; null where unknown.'],
      last_stop_name: ['VARCHAR', 'Name of its last planned stop; null where unknown.'],
      first_departure_minutes: ['SMALLINT', 'Planned departure from its first stop, in minutes of the local clock.'],
      rules_version: definition.rules_version,
      scheduled: ['INTEGER', 'Its planned calls.'],
      observed: ['INTEGER', 'Calls with an observed time.'],
      cancelled: ['INTEGER', 'Cancelled calls; all of them if the trip did not run.'],
      final_delay_seconds: ['INTEGER', 'Delay at the last call that was observed; null where none was.'],
      max_delay_seconds: ['INTEGER', 'Largest observed delay; null where none was observed.'],
    },
    key: ['service_date', 'source', 'feed_source', 'trip_id'],
    order: ['trip_number', 'operator', 'service_date'],
    rowGroupSize: 24_576,
  },
  connections_daily: {
    about: 'Changes that the timetable offers between two lines at a station, by day, over all sources.',
    columns: {
      service_date: of.service_date,
      source: of.source,
      ...place,
      station_name: ['VARCHAR', 'Name of a stop of the station; null where unknown.'],
      from_line: ['VARCHAR', 'The line that arrives.'],
      to_line: ['VARCHAR', 'The line that departs.'],
      rules_version: definition.rules_version,
      ...transferCounts,
    },
    key: ['service_date', 'source', 'feed_source', 'station_id', 'from_line', 'to_line', 'rules_version'],
    order: ['feed_source', 'station_id', 'from_line', 'to_line', 'service_date'],
    rowGroupSize: 61_440,
  },
  worst_connections: {
    about: 'The transfers of a month that were missed most often, of those that were observed often enough.',
    columns: {
      month_start: ['DATE', 'First day of the month whose service days count.'],
      source: of.source,
      rank: ['INTEGER', 'From 1, the worst.'],
      ...place,
      station_name: ['VARCHAR', 'Name of a stop of the station; null where unknown.'],
      from_line: ['VARCHAR', 'The line that arrives.'],
      to_line: ['VARCHAR', 'The line that departs.'],
      rules_version: definition.rules_version,
      ...transferCounts,
      missed_share: ['DOUBLE', '`missed` of `observed`.'],
    },
    key: ['month_start', 'source', 'rank'],
    order: ['month_start', 'source', 'rank'],
    rowGroupSize: 61_440,
    isMonthly: true,
  },
} as const satisfies Record<string, MartTable>;

export type MartName = keyof typeof martTables;

/** Marts whose rows belong to one service date. */
export type DailyMart = {
  [Mart in MartName]: (typeof martTables)[Mart] extends { readonly isMonthly: true } ? never : Mart;
}[MartName];

/** In the order of their entries, so that each is built after its inputs. */
export const dailyMarts = Object.keys(martTables).filter(isDaily);

function isDaily(mart: string): mart is DailyMart {
  const { isMonthly }: MartTable = martTables[mart as MartName];
  return isMonthly !== true;
}

/** The total order of a mart's rows, so that equal rows give equal files. */
export function orderOf(mart: MartName): string {
  const { order, key }: MartTable = martTables[mart];
  return [...order, ...key.filter((name) => !order.includes(name))].join(', ');
}

/** Selects the columns of a mart, in their order and types, from a select that has them by name. */
export function castTo(mart: MartName, select: string): string {
  const columns = Object.entries(martTables[mart].columns)
    .map(([name, [type]]) => `cast("${name}" as ${type}) as "${name}"`)
    .join(', ');
  return `select ${columns} from (${select})`;
}
