/** A row of a chart, with the names of its columns in SQL, CSV and Parquet; shares are 0 to 1, null without a whole. */
export interface PunctualityShares {
  /** Scheduled calls. */
  readonly expected: number;
  /** Those with an observed time: the whole of every share. */
  readonly observed: number;
  readonly cancelled: number;
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
