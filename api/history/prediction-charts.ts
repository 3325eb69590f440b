import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import type { PredictionMetricsTable } from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import type { Chart } from './chart.ts';
import { type Condition, composeStatement, readStatements } from './compose-statement.ts';
import type { DatePeriod } from './question.ts';
import { inPeriod } from './question-conditions.ts';
import type { ColumnKind } from './render-columns.ts';

/** A query of past predictions of one source. */
export interface PredictionQuestion {
  readonly source: string;
  readonly day: ServiceDate;
  /** The month that ends with the day. */
  readonly month: DatePeriod;
  /** `toldBySource`: only pairs with a forecast of the source itself. */
  readonly pairsOf: 'all' | 'toldBySource';
  /** Number of a prediction of the day, from 1. */
  readonly example: number;
}

const statementNames = [
  'prediction_errors',
  'prediction_days',
  'prediction_classes',
  'change_calibration',
  'change_counts',
  'prediction_example',
  'example_count',
] as const;

/** Statements of the charts, by name. */
export type PredictionSql = Readonly<Record<(typeof statementNames)[number], string>>;

export const readPredictionSql = (): Promise<PredictionSql> => readStatements('charts', statementNames);

const errors = {
  slice: 'text',
  forecaster: 'text',
  pairs: 'count',
  mean_error_seconds: 'number',
  covered: 'number',
  mean_width_seconds: 'number',
} as const satisfies Record<string, ColumnKind>;

/** Columns of each chart; names and order are those of its statement. */
export const predictionColumns = {
  day_errors: errors,
  month_errors: errors,
  days: { day: 'day', forecaster: 'text', pairs: 'count', mean_error_seconds: 'number' },
  confidence: {
    confidence: 'text',
    pairs: 'count',
    covered: 'number',
    within_60: 'number',
    within_120: 'number',
    within_180: 'number',
  },
  changes: {
    bin: 'whole',
    pairs: 'count',
    held: 'count',
    mean_probability: 'number',
    held_share: 'number',
    held_low: 'number',
    held_high: 'number',
  },
  change_counts: { status: 'text', pairs: 'count', brier_score: 'number' },
  example: {
    example: 'count',
    trip_id: 'text',
    line: 'text',
    direction: 'text',
    made_at: 'instant',
    model: 'text',
    from_position: 'count',
    observed_at: 'instant',
    current_delay_seconds: 'whole',
    position: 'count',
    stop_name: 'text',
    scheduled_time: 'instant',
    delay_seconds: 'whole',
    low_seconds: 'whole',
    median_seconds: 'whole',
    high_seconds: 'whole',
    reported_delay_seconds: 'whole',
    train_runs: 'whole',
    train_change_seconds: 'number',
    pattern_runs: 'whole',
    pattern_change_seconds: 'number',
    leg_values: 'whole',
    legs_change_seconds: 'number',
  },
} as const satisfies Record<string, Readonly<Record<string, ColumnKind>>>;

type PredictionChart = keyof typeof predictionColumns;

/** The charts of a query, and the number of examples of its day. */
export function predictionCharts(
  sql: PredictionSql,
  { source, day, month, pairsOf, example }: PredictionQuestion,
): Readonly<Record<PredictionChart | 'example_count', Chart>> {
  const ofSource: Condition = ['source = $source', { source }];
  const ofPairs: readonly Condition[] = [
    ['pairs_of = $pairs_of', { pairs_of: pairsOf }],
    ['unit = $unit', { unit: 'raw' }],
  ];
  const onDay = inPeriod({ from: day, to: day });
  const inMonth = inPeriod(month);
  const chart = (
    name: PredictionChart,
    statement: string,
    table: PredictionMetricsTable,
    conditions: readonly Condition[],
  ): Chart => ({
    ...composeStatement({ statement, table, conditions: [ofSource, ...conditions] }),
    columns: predictionColumns[name],
  });
  return {
    day_errors: chart('day_errors', sql.prediction_errors, 'prediction_daily', [onDay, ...ofPairs]),
    month_errors: chart('month_errors', sql.prediction_errors, 'prediction_daily', [inMonth, ...ofPairs]),
    days: chart('days', sql.prediction_days, 'prediction_daily', [inMonth, ...ofPairs]),
    confidence: chart('confidence', sql.prediction_classes, 'prediction_classes_daily', [inMonth, ...ofPairs]),
    changes: chart('changes', sql.change_calibration, 'transfer_predictions', [inMonth]),
    change_counts: chart('change_counts', sql.change_counts, 'transfer_predictions', [inMonth]),
    example: {
      ...composeStatement({
        statement: sql.prediction_example,
        table: 'prediction_examples',
        conditions: [ofSource, onDay],
        values: { example },
      }),
      columns: predictionColumns.example,
    },
    example_count: {
      ...composeStatement({
        statement: sql.example_count,
        table: 'prediction_examples',
        conditions: [ofSource, onDay],
      }),
      columns: { examples: 'count' },
    },
  };
}
