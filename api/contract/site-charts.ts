/** A row of a chart, named like its columns in SQL, CSV and Parquet. Shares are 0 to 1, `null` if the total is 0. */
export interface PunctualityShares {
  /** Scheduled calls. */
  readonly expected: number;
  /** Calls with an observed time: the denominator of every share. */
  readonly observed: number;
  /** Part of the observed: times derived from positions of vehicles. */
  readonly derived: number;
  /** Part of the observed: forecasts, if the definition counts them. */
  readonly forecasts: number;
  readonly cancelled: number;
  /** Part of the cancelled calls. */
  readonly replaced: number;
  readonly on_time: number;
  readonly early: number;
  readonly late10: number;
  readonly delay_sum_seconds: number;
  /** `observed` divided by `expected`. */
  readonly coverage: number | null;
  readonly on_time_share: number | null;
  /** 95 % Wilson interval. */
  readonly on_time_low: number | null;
  readonly on_time_high: number | null;
  readonly mean_delay_seconds: number | null;
}

export interface PunctualityDay extends PunctualityShares {
  /** `YYYY-MM-DD` */
  readonly day: string;
}

export interface PunctualityLine extends PunctualityShares {
  /** Each is `''` if unknown. */
  readonly line: string;
  readonly product: string;
  readonly operator: string;
}

export interface PunctualityHour {
  /** 1 is Monday. */
  readonly dow: number;
  readonly hour: number;
  readonly observed: number;
  /** null where the question is about a stop. */
  readonly on_time: number | null;
  readonly on_time_share: number | null;
  readonly mean_delay_seconds: number;
}

export interface PunctualityDelay {
  /** Whole minutes, rounded down. */
  readonly delay_minutes: number;
  readonly observed: number;
  readonly share: number;
}

/** A punctuality definition: `330/600`, `330/600/lastForecast` or `330/600/forecast`. */
export interface PunctualityDefinitionChoice {
  readonly id: string;
  readonly onTimeMaxDelaySeconds: number;
  readonly lateMinDelaySeconds: number;
  readonly earlyMinSeconds: number;
  readonly evidence: 'observed_actual' | 'last_forecast' | 'forecast';
}

/** `GET /site/data/punctuality` without `table`. */
export interface PunctualityData {
  readonly period: { readonly from: string; readonly to: string };
  /** First and last recorded day; null before anything is recorded. */
  readonly recorded: { readonly from: string; readonly to: string } | null;
  readonly stopName: string | null;
  readonly definition: PunctualityDefinitionChoice;
  /** All definitions that the period can be shown by. */
  readonly definitions: readonly PunctualityDefinitionChoice[];
  readonly sources: readonly string[];
  /** null before anything is recorded. */
  readonly totals: PunctualityShares | null;
  /** Every day of the period. */
  readonly days: readonly PunctualityDay[];
  readonly hours: readonly PunctualityHour[];
  /**
   * The first lines of two rankings: the least punctual by the upper end of the interval, the most punctual by its lower
   * end. `count` is the number of all lines with an observed call.
   */
  readonly lines: {
    readonly count: number;
    readonly worst: readonly PunctualityLine[];
    readonly best: readonly PunctualityLine[];
  };
  /** null where the question is about a stop. */
  readonly delays: readonly PunctualityDelay[] | null;
  /** SQL that produces each table, to run after `catalog.sql` of the lake. */
  readonly sql: Readonly<Partial<Record<PunctualityTable, string>>>;
}

export const punctualityTables = ['totals', 'days', 'hours', 'lines', 'delays'] as const;
export type PunctualityTable = (typeof punctualityTables)[number];

// ---- Predictions -------------------------------------------------------------------------------

/** Errors of one method in one range of scheduled time to arrival. */
export interface PredictionError {
  /** As in the mart `prediction_daily`: a range such as `0-5 min`, or `all`. */
  readonly slice: string;
  /** `ours`, `persistence`, `schedule`, `source` */
  readonly forecaster: string;
  readonly pairs: number;
  readonly mean_error_seconds: number | null;
  /** Share of arrivals between p10 and p90; null for a method without intervals. */
  readonly covered: number | null;
  readonly mean_width_seconds: number | null;
}

export interface PredictionDay {
  readonly day: string;
  /** null on a day without metrics. */
  readonly forecaster: string | null;
  readonly pairs: number;
  readonly mean_error_seconds: number | null;
}

export interface PredictionClass {
  /** `high`, `medium`, or `none`, which is not published. */
  readonly confidence: string;
  readonly pairs: number;
  readonly covered: number | null;
  readonly within_60: number | null;
  readonly within_120: number | null;
  readonly within_180: number | null;
}

/** Transfers whose probability of being made lies in one tenth of the range. */
export interface TransferBin {
  /** 0 to 9 */
  readonly bin: number;
  readonly pairs: number;
  readonly held: number;
  readonly mean_probability: number;
  readonly held_share: number;
  readonly held_low: number;
  readonly held_high: number;
}

interface TransferCount {
  readonly status: string;
  readonly pairs: number;
  readonly brier_score: number | null;
}

/** A call of a trip whose prediction is explained step by step, as in the mart `prediction_examples`. */
export interface ExampleCall {
  readonly example: number;
  readonly trip_id: string;
  readonly line: string | null;
  readonly direction: string | null;
  readonly made_at: string;
  readonly model: string;
  readonly from_position: number;
  readonly observed_at: string;
  readonly current_delay_seconds: number;
  readonly position: number;
  readonly stop_name: string | null;
  readonly scheduled_time: string;
  readonly delay_seconds: number | null;
  readonly low_seconds: number | null;
  readonly median_seconds: number | null;
  readonly high_seconds: number | null;
  readonly reported_delay_seconds: number | null;
  readonly train_runs: number | null;
  readonly train_change_seconds: number | null;
  readonly pattern_runs: number | null;
  readonly pattern_change_seconds: number | null;
  readonly leg_values: number | null;
  readonly legs_change_seconds: number | null;
}

/** `GET /site/data/predictions` without `table`. */
export interface PredictionData {
  /** Sources with metrics, and their first and last measured day; empty before anything is measured. */
  readonly sources: readonly { readonly source: string; readonly firstDate: string; readonly lastDate: string }[];
  /** null, and all lists empty, before anything is measured. */
  readonly question: {
    readonly source: string;
    readonly day: string;
    /** The 30 days that end with the day. */
    readonly month: { readonly from: string; readonly to: string };
    readonly pairs: 'all' | 'toldBySource';
    readonly example: number;
  } | null;
  readonly day_errors: readonly PredictionError[];
  readonly month_errors: readonly PredictionError[];
  /** Every day of the month. */
  readonly days: readonly PredictionDay[];
  readonly confidence: readonly PredictionClass[];
  readonly changes: readonly TransferBin[];
  readonly change_counts: readonly TransferCount[];
  readonly example: readonly ExampleCall[];
  /** Number of predictions of the day that can be explained step by step. */
  readonly examples: number;
  readonly sql: Readonly<Partial<Record<PredictionTable, string>>>;
  /** Tests of the models in use; empty as soon as predictions are measured. */
  readonly models: readonly ModelTestRow[];
}

/** Test of a model on days on which it was not trained. */
export interface ModelTestRow {
  readonly source: string;
  readonly pairs: number;
  readonly errorSeconds: number;
  readonly persistenceErrorSeconds: number;
  readonly coveredShare: number;
}

export const predictionTables = [
  'day_errors',
  'month_errors',
  'days',
  'confidence',
  'changes',
  'change_counts',
  'example',
] as const;
export type PredictionTable = (typeof predictionTables)[number];
