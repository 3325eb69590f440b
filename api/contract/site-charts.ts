/** A row of a chart, with the names of its columns in SQL, CSV and Parquet; shares are 0 to 1, null without a whole. */
export interface PunctualityShares {
  /** Scheduled calls. */
  readonly expected: number;
  /** Those with an observed time: the whole of every share. */
  readonly observed: number;
  readonly cancelled: number;
  /** Among the cancelled. */
  readonly replaced: number;
  readonly on_time: number;
  readonly early: number;
  readonly late10: number;
  readonly delay_sum_seconds: number;
  /** `observed` of `expected`. */
  readonly coverage: number | null;
  readonly on_time_share: number | null;
  /** Wilson interval of 95 %. */
  readonly on_time_low: number | null;
  readonly on_time_high: number | null;
  readonly mean_delay_seconds: number | null;
}

export interface PunctualityDay extends PunctualityShares {
  /** `YYYY-MM-DD` */
  readonly day: string;
}

export interface PunctualityLine extends PunctualityShares {
  /** Each `''` where unknown. */
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

/** What counts, by the notation of the setting `history.furtherDefinitions`: `330/600` or `330/600/forecast`. */
export interface PunctualityDefinitionChoice {
  readonly id: string;
  readonly onTimeMaxDelaySeconds: number;
  readonly lateMinDelaySeconds: number;
  readonly earlyMinSeconds: number;
  readonly evidence: 'observed_actual' | 'forecast';
}

/** `GET /site/data/punctuality` without `table`. */
export interface PunctualityData {
  readonly period: { readonly from: string; readonly to: string };
  /** First and last day of the record; null before anything is recorded. */
  readonly recorded: { readonly from: string; readonly to: string } | null;
  readonly stopName: string | null;
  readonly definition: PunctualityDefinitionChoice;
  /** All that the period was counted by. */
  readonly definitions: readonly PunctualityDefinitionChoice[];
  readonly sources: readonly string[];
  /** null before anything is recorded. */
  readonly totals: PunctualityShares | null;
  /** Every day of the period. */
  readonly days: readonly PunctualityDay[];
  readonly hours: readonly PunctualityHour[];
  /**
   * Lines in the order of what their intervals allow to say: the worst by the upper end, the best by the lower end. Only
   * the ends of both orders; `count` is of all lines with an observed call.
   */
  readonly lines: {
    readonly count: number;
    readonly worst: readonly PunctualityLine[];
    readonly best: readonly PunctualityLine[];
  };
  /** null where the question is about a stop. */
  readonly delays: readonly PunctualityDelay[] | null;
  /** Statements that make the tables, for `catalog.sql` of the lake. */
  readonly sql: Readonly<Partial<Record<PunctualityTable, string>>>;
}

export const punctualityTables = ['totals', 'days', 'hours', 'lines', 'delays'] as const;
export type PunctualityTable = (typeof punctualityTables)[number];

// ---- Predictions -------------------------------------------------------------------------------

/** Errors of one forecaster in one range of the planned time to the arrival. */
export interface PredictionError {
  /** As in the mart `prediction_daily`: a range such as `0-5 min`, or `all`. */
  readonly slice: string;
  /** `ours`, `persistence`, `schedule`, `source` */
  readonly forecaster: string;
  readonly pairs: number;
  readonly mean_error_seconds: number | null;
  /** Share within the interval from p10 to p90; null without intervals. */
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

/** Changes of one tenth of the probability to be held. */
export interface ChangeBin {
  /** 0 to 9 */
  readonly bin: number;
  readonly pairs: number;
  readonly held: number;
  readonly mean_probability: number;
  readonly held_share: number;
  readonly held_low: number;
  readonly held_high: number;
}

export interface ChangeCount {
  readonly status: string;
  readonly pairs: number;
  readonly brier_score: number | null;
}

/** A call of a trip whose forecast is taken apart, as in the mart `prediction_examples`. */
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
  /** null before anything is measured; then all lists are empty. */
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
  readonly changes: readonly ChangeBin[];
  readonly change_counts: readonly ChangeCount[];
  readonly example: readonly ExampleCall[];
  /** Forecasts of the day that can be taken apart. */
  readonly examples: number;
  readonly sql: Readonly<Partial<Record<PredictionTable, string>>>;
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
